// What stands behind `npm test`: the line in package.json decides what a gate proves, as much as the gate's own.

/** `npm test`, `npm run -s lint`, `pnpm lint`, `yarn workspace-free`, `bun run test`: the word that names a script. */
const RUNS_SCRIPT = /\b(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:(?:run|run-script)\s+)?(?:-\S+\s+)*([\w:.-]+)/g;

const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };

/** The scripts that a command runs, by name: those it names, what runs before and after them, and what all of these name in turn. */
export function scriptsBehind(
  command: string | readonly string[],
  scripts: Readonly<Record<string, string>>,
): Map<string, string> {
  const found = new Map<string, string>();
  const follow = (line: string): void => {
    for (const [, word = ''] of line.matchAll(RUNS_SCRIPT)) {
      const name = SHORT[word] ?? word;
      for (const one of [`pre${name}`, name, `post${name}`]) {
        const script = Object.hasOwn(scripts, one) ? scripts[one] : undefined;
        if (script === undefined || found.has(one)) continue;
        found.set(one, script);
        follow(script);
      }
    }
  };
  follow(typeof command === 'string' ? command : command.join(' '));
  return found;
}
