/** Options of every command may stand before its name, as with git: they are moved behind it. Other words stay where they are. */
export function commandFirst(words: readonly string[]): string[] {
  const options = [...words];
  const moved: string[] = [];
  for (let size = optionSize(options); size > 0; size = optionSize(options))
    moved.push(...options.splice(0, size));
  const [command, ...rest] = options;
  // Nothing to apply them to: the help of `ralph` itself is the same everywhere.
  return command === undefined || command.startsWith('-') ? options : [command, ...moved, ...rest];
}

/** How many words the option takes that these begin with; 0 where they begin with something else. */
function optionSize([word = '', value]: readonly string[]): number {
  if (word === '--json' || word.startsWith('--project=')) return 1;
  return word === '--project' && value !== undefined ? 2 : 0;
}
