// What Claude Code asks before it ends a turn or uses a tool of its own. The relay brings the question and the answer.
import { isOffLimits, isShellOffLimits } from '../domain/sessions/off-limits.ts';
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

export type HookRules = {
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
