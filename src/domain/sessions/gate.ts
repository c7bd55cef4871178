// The results of gates, the receipt of finished work, and the package.json scripts behind a gate.
import type { Proposal } from '../pull-requests/pull-request.ts';

export type GateResult = {
  name: string;
  command: string;
  /** Identifies the gate's configuration: a result holds only for the configuration that produced it. */
  definition: string;
  required: boolean;
  passed: boolean;
  exit_code: number | null;
  duration_ms: number;
  /** The last part of the output, for the next attempt; the log has more. */
  tail: string;
  log: string | null;
  tree_hash: string | null;
  /** True if the gate failed before the task began, too. */
  was_red: boolean;
  /** True if it was red and then passed on the same files. `tail` then shows how it was red. */
  flaky?: boolean;
};

/** How often a gate was red on files on which it then passed. */
export type FlakyGate = { name: string; red: number; runs: number };

export const flakyRate = ({ red, runs }: Omit<FlakyGate, 'name'>): string =>
  `${red} of ${runs} runs ${red === 1 ? 'was' : 'were'} red on files on which it then passed`;

export const flakyText = (gate: FlakyGate): string => `gate ${gate.name} is flaky: ${flakyRate(gate)}`;

/** A gate that begins or has ended; `number` of `of` gates. */
export type GateStep = {
  name: string;
  number: number;
  of: number;
  ended: Pick<GateResult, 'passed' | 'duration_ms'> | null;
};

/** A stored result, with the session that produced it. */
export type KnownGate = GateResult & {
  session_id: string;
  /** True if it ran before the session changed anything. */
  baseline: boolean;
};

/** Saved results win: they need not be saved again. */
export function withUnsaved(saved: readonly KnownGate[], unsaved: readonly KnownGate[]): KnownGate[] {
  const knownDefinitions = new Set(saved.map(({ definition }) => definition));
  return [...saved, ...unsaved.filter(({ definition }) => !knownDefinitions.has(definition))];
}

/** A gate's command as a person would type it, with quotes where a shell needs them. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string'
    ? command
    : command
        .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
        .join(' ');

export const failedRequired = (gates: readonly GateResult[]): GateResult[] =>
  gates.filter((gate) => gate.required && !gate.passed);

/** Tells the task's next session how a gate failed. */
export function gateComment({ name, command, exit_code, tail, was_red }: GateResult): string {
  const how = exit_code === null ? 'did not finish' : `exit code ${exit_code}`;
  const before = was_red ? ' It had failed before this task began, too.' : '';
  return `Gate ${name} failed (${command}, ${how}).${before}\n${tail}`.trimEnd();
}

/** The last result of each gate. A gate runs more than once if a finish crashed. */
export const latestResults = (gates: readonly GateResult[]): GateResult[] => [
  ...new Map(gates.map((gate) => [gate.name, gate])).values(),
];

/** The commit that holds the finished work, and the size of the change. */
export type Work = {
  commit: string | null;
  tree_hash: string | null;
  diff_stat: { files: number; insertions: number; deletions: number } | null;
  /** Earlier tasks whose work is in the same commit. */
  covers: readonly number[];
  /** Where the commit waits to be merged, if it has not landed. */
  proposal?: Proposal;
};

export const NO_WORK: Work = { commit: null, tree_hash: null, diff_stat: null, covers: [] };

export type Receipt = Omit<Work, 'covers' | 'proposal'> & {
  task_id: number;
  session_id: string;
  summary: string;
  /** The reason if no file changed: the task expects none, or a person accepted it. */
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
  /** Its place in the chain of evidence; null if it has none. */
  hash: string | null;
};

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
 * The package.json scripts that a command may run, by name, with their pre and post scripts, recursively. They decide what a
 * gate proves. Every word that equals the name of a script counts, because each tool has its own way to name one.
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
