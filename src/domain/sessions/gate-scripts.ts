// What stands behind `npm test`: the line in package.json decides what a gate proves, as much as the gate's own.

const RUNS_SCRIPTS =
  /\b(npm|npx|pnpm|yarn|bun|run-s|run-p|npm-run-all|turbo|nx|lerna|concurrently)\b|--run\b/;

/** Tools and options that run a script in each package of a monorepo. */
const RUNS_PACKAGES =
  /\b(turbo|nx|lerna|wsrun|wireit|foreach)\b|\bworkspaces\b|--(workspaces?|recursive|filter)\b|(^|\s)-(r|ws|w)(\s|$)/;

export const runsPackages = (command: string): boolean => RUNS_PACKAGES.test(command);

const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };

export const wordsOf = (command: string | readonly string[]): string[] =>
  (typeof command === 'string' ? command : command.join(' ')).split(/[\s;&|"'()=,]+/).filter(Boolean);

/**
 * The scripts that a command may run, by name: those it names, what runs before and after them, and what all of these name in
 * turn. Every word that is the name of one counts: how each tool is told which script to run is more than anybody can know.
 */
export function scriptsBehind(
  command: string | readonly string[],
  scripts: Readonly<Record<string, string>>,
): Map<string, string> {
  const found = new Map<string, string>();
  const follow = (words: readonly string[]): void => {
    if (!RUNS_SCRIPTS.test(words.join(' '))) return;
    for (const word of words.map((one) => SHORT[one] ?? one.replace(/^npm:/, ''))) {
      for (const name of [`pre${word}`, word, `post${word}`]) {
        const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
        if (script === undefined || found.has(name)) continue;
        found.set(name, script);
        follow(wordsOf(script));
      }
    }
  };
  follow(wordsOf(command));
  return found;
}
