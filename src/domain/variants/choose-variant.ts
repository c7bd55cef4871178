// Variants of a recipe: while there are any, each session gets one of them or the recipe itself, at random.

/** The recipe as it is without a variant. */
export const BASE = 'base';

/** Among the names of override files: `task_execution.short` is the variant `short`. */
export const variantsOf = (recipe: string, files: Iterable<string>): string[] =>
  [...files].flatMap((file) => (file.startsWith(`${recipe}.`) ? [file.slice(recipe.length + 1)] : []));

/** The same session always gets the same one. Its id is random, so any two variants get about as many sessions. */
export function chooseVariant(names: readonly string[], session_id: string): string {
  const choices = [BASE, ...names].sort();
  return choices[hash(session_id) % choices.length] ?? BASE;
}

/** FNV-1a: spreads similar texts over all 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
