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
  if (word === '--json' || word.startsWith('--project=') || word.startsWith('--database=')) return 1;
  return (word === '--project' || word === '--database') && value !== undefined ? 2 : 0;
}

/** The last project that is named, and the other words. */
export function takeProject(words: readonly string[]): { project?: string; rest: readonly string[] } {
  const index = words.findLastIndex((word) => word === '--project' || word.startsWith('--project='));
  const size = optionSize(words.slice(index));
  if (index < 0 || size === 0) return { rest: words };
  const project = size === 2 ? words[index + 1] : words[index]?.slice('--project='.length);
  return { ...(project && { project }), rest: words.toSpliced(index, size) };
}
