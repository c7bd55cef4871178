// What Claude Code asks before it ends a turn or uses a tool of its own. The relay brings the question and the answer.
import { asObject, parseJsonLine } from '../domain/transcript/json.ts';

/** Exit code 2 sends the text to the model, and the turn goes on; 0 allows what Claude Code asks for. */
export type HookAnswer = { exitCode: 0 | 2; text: string };

const ALLOW: HookAnswer = { exitCode: 0, text: '' };

/** What a session has to report before it may end. */
export type Reminder = { isReported(): Promise<boolean>; text: string };

export const VERB_REMINDER =
  'This session has no closing verb yet. Call done if the task is complete, partial with what remains, or stuck with the reason.\n';
export const VERDICT_REMINDER =
  'This review has no verdict yet. Call approve if the work may be merged as it is, or request_changes with what must change.\n';

/** How often a session is asked for what it has to report. */
export const MAX_REMINDERS = 2;

type HookRules = {
  /** Folders of Ralph's own. */
  offLimits: readonly string[];
  /** Null for a planning session: its result is what it proposed. */
  reminder: Reminder | null;
  /** What to tell an agent that repeats itself; each warning once. */
  takeWarning(): string | null;
};

/** The hooks of one agent process. */
export function createHooks({ offLimits, reminder, takeWarning }: HookRules) {
  let reminders = 0;
  return async (name: string, input: string): Promise<HookAnswer> => {
    if (name === 'guard') return guard(input, offLimits) ?? refuse(takeWarning());
    if (name !== 'stop' || reminder === null || reminders >= MAX_REMINDERS) return ALLOW;
    if (await reminder.isReported()) return ALLOW;
    reminders += 1;
    return refuse(reminder.text);
  };
}

const refuse = (text: string | null): HookAnswer => (text === null ? ALLOW : { exitCode: 2, text });

/** Refuses what touches Ralph's own files: Claude Code's deny rules do not look into a shell line. */
export function guard(input: string, offLimits: readonly string[]): HookAnswer | null {
  const args = asObject(parseJsonLine(input)?.['tool_input']);
  const command = args['command'];
  const files = [args['file_path'], args['notebook_path']].filter((word) => typeof word === 'string');
  const isRefused = offLimits.some(
    (folder) =>
      files.some((file) => isOffLimits(file, folder)) ||
      (typeof command === 'string' && isShellOffLimits(command, folder)),
  );
  return isRefused ? refuse(OFF_LIMITS) : null;
}

const OFF_LIMITS =
  "Ralph's own files, and what would remove them, are off limits; the shell may only read .ralph/specs, with cat, grep, ls and the like. Say what you have to say through the verbs.\n";

// What the words of a tool call tell about Ralph's own files. It sees only what stands in the call: a script can do anything.

const RALPHS_OWN = /(^|[\s'"=/;&|(])\.ralph(\/|\b)|\bgit\s+clean\s+(-\w*[xX]\w*|.*\s-\w*[xX])|\.git\/ralph\b/;

/** True if the words name a file of Ralph's, or would remove one. */
const isOffLimits = (words: string, stateDir: string): boolean =>
  RALPHS_OWN.test(words) || words.includes(stateDir);

/** As `isOffLimits`, for a shell line, which may read the specifications in `.ralph/specs`. */
const isShellOffLimits = (line: string, stateDir: string): boolean =>
  isOffLimits(isReading(line) ? line.replace(SPECS, 'specs') : line, stateDir);

/** Not where the rest of the path leads out of the folder again. */
const SPECS = /\.ralph\/specs(?![\w.-])(?!\S*\.\.)/g;

/** Programs that write nothing, and what must not stand beside the others. No `cd`: later lines would not name the folder. */
const READERS: Readonly<Record<string, RegExp | null>> = {
  cat: null,
  diff: null,
  egrep: null,
  fgrep: null,
  file: null,
  find: /-(delete|exec|ok|fprint|fls)/,
  grep: null,
  head: null,
  ls: null,
  nl: null,
  rg: /--pre\b/,
  sed: /^(?!.*\s-n\s)|\s(-\w*i|--in-place)|w\s/,
  stat: null,
  tail: null,
  wc: null,
};

/** Whether a shell line consists of readers alone. In doubt it does not: the agent has a tool to read files, too. */
function isReading(line: string): boolean {
  const quiet = line.replace(/\d?>\s*\/dev\/null\b|2>&1/g, '');
  if (/[>`]|\$\(|<\(/.test(quiet)) return false;
  return quiet.split(/[|;&\n]+/).every((part) => {
    const [program = ''] = part.trim().split(/\s/);
    if (!Object.hasOwn(READERS, program)) return part.trim() === '';
    return !(READERS[program]?.test(part) ?? false);
  });
}
