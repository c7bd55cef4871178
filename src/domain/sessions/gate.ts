export type GateResult = {
  name: string;
  command: string;
  /** Tells one form of the gate from another: a result holds only for the form that gave it. */
  definition: string;
  required: boolean;
  passed: boolean;
  exit_code: number | null;
  duration_ms: number;
  /** The last part of the output, for the next attempt; more of it is in the log. */
  tail: string;
  log: string | null;
  tree_hash: string | null;
  /** It failed before the task began, too. */
  was_red: boolean;
};

/** A gate that begins or has ended, and which of how many it is. */
export type GateStep = {
  name: string;
  number: number;
  of: number;
  ended: Pick<GateResult, 'passed' | 'duration_ms'> | null;
};

/** A result that somebody knows already, and which session it came from. */
export type KnownGate = GateResult & {
  session_id: string;
  /** Whether it was run before the session touched anything. */
  baseline: boolean;
};

/** A gate's command as a person would type it: the words of an argument list that a shell would change are quoted. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string'
    ? command
    : command
        .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
        .join(' ');

export const failedRequired = (gates: readonly GateResult[]): GateResult[] =>
  gates.filter((gate) => gate.required && !gate.passed);

/** Of gates that ran more than once, because a finish crashed, the last word of each. */
export const latestResults = (gates: readonly GateResult[]): GateResult[] => [
  ...new Map(gates.map((gate) => [gate.name, gate])).values(),
];

/** What the machine knows of the finished work: the commit that holds it and what it changed. */
export type Work = {
  commit: string | null;
  tree_hash: string | null;
  diff_stat: { files: number; insertions: number; deletions: number } | null;
  /** Earlier tasks whose work the same commit holds. */
  covers: readonly number[];
};

export const NO_WORK: Work = { commit: null, tree_hash: null, diff_stat: null, covers: [] };

export type Receipt = Omit<Work, 'covers'> & {
  task_id: number;
  session_id: string;
  summary: string;
  /** Why no file had to change, where none did: the task expects none, or a person accepted it. */
  no_change_reason: string | null;
  gates: readonly Pick<GateResult, 'name' | 'required' | 'passed' | 'exit_code'>[];
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** The learnings that the session was given. */
  learnings: readonly number[];
  created: number;
};
// What stands behind `npm test`: the line in package.json decides what a gate proves, as much as the gate's own.

const RUNS_SCRIPTS =
  /\b(npm|npx|pnpm|yarn|bun|run-s|run-p|npm-run-all|turbo|nx|lerna|concurrently)\b|--run\b/;

/** Tools and options that run a script in each package of a monorepo. */
const RUNS_PACKAGES =
  /\b(turbo|nx|lerna|wsrun|wireit|foreach)\b|\bworkspaces\b|--(workspaces?|recursive|filter)\b|(^|\s)-(r|ws|w)(\s|$)/;

export const runsPackages = (command: string): boolean => RUNS_PACKAGES.test(command);

const SHORT_NAMES: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };

export const commandWords = (command: string | readonly string[]): string[] =>
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
    for (const word of words.map((one) => SHORT_NAMES[one] ?? one.replace(/^npm:/, ''))) {
      for (const name of [`pre${word}`, word, `post${word}`]) {
        const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
        if (script === undefined || found.has(name)) continue;
        found.set(name, script);
        follow(commandWords(script));
      }
    }
  };
  follow(commandWords(command));
  return found;
}
