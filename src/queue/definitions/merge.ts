import { Refusal } from '../../domain/refusal.ts';
import { requireStorable } from '../../domain/text/text.ts';
import { changedFields } from '../tasks/edit.ts';

/**
 * `sync`: the project's own files, read again and again; what they give is theirs from then on.
 * `import`: a file that is read once; what comes in belongs to the database.
 */
export type Mode = 'sync' | 'import';

/** What the entity is after the definition had its say, and which fields the definition owns from now on. */
export function merge<Fields extends object>(
  definition: { at: string; fields: Partial<Fields> },
  current: (Fields & Owned) | undefined,
  defaults: Fields,
  mode: Mode,
): { fields: Fields; defined: readonly string[] | null } {
  requireStorable('text', definition.fields);
  const given = Object.keys(definition.fields).sort();
  const fields = pick(current ?? defaults, Object.keys(defaults) as (keyof Fields)[]);
  if (mode === 'import') {
    requireNotOwned(definition, current);
    return { fields: { ...fields, ...definition.fields }, defined: current?.defined ?? null };
  }
  // A field that the file gave before and gives no more goes back to its default; one it never gave is not its business.
  const dropped = (current?.defined ?? []).filter((name) => !given.includes(name)) as (keyof Fields)[];
  return { fields: { ...fields, ...pick(defaults, dropped), ...definition.fields }, defined: given };
}

export function pick<Fields extends object>(from: Fields, names: readonly (keyof Fields)[]): Fields {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]])) as Fields;
}

function requireNotOwned<Fields extends object>(
  { at, fields }: { at: string; fields: Partial<Fields> },
  current: (Fields & Owned) | undefined,
): void {
  if (current === undefined) return;
  const owned = changedFields<object>(current, fields).find((name) => current.defined?.includes(name));
  if (owned === undefined) return;
  throw new Refusal(`${at}: "${owned}" is defined in the project's .ralph files; change it there.`);
}

export type Owned = { defined: readonly string[] | null };
