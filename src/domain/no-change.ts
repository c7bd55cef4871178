// A done that changed no file: refused, expected, or for a person to accept.
import type { SignalOf } from './signal.ts';
import type { Task } from './task.ts';

/** `unexplained`: refused. `explained`: a person decides. `expected`: as good as any other done. */
export type NoChange =
  | { kind: 'unexplained' }
  | { kind: 'explained'; reason: string }
  | { kind: 'expected'; reason: string };

export function noChangeOf(task: Pick<Task, 'kind'>, done: SignalOf<'done'>): NoChange {
  if (task.kind === 'investigate')
    return { kind: 'expected', reason: done.no_change_reason ?? 'The task is to investigate.' };
  return done.no_change_reason === undefined
    ? { kind: 'unexplained' }
    : { kind: 'explained', reason: done.no_change_reason };
}

export const NO_CHANGE_REFUSED =
  'The done was refused: no file has changed since the task began. Do the work, or, if no file has to change, say done again with no_change_reason, which a person then approves.';

export const approvalQuestion = (reason: string): string =>
  `Done without a change? The agent says: ${asSentence(reason)} Answer "approve" to accept that, or say what it should do instead.`;

const asSentence = (text: string): string => text.trim().replace(/[^.!?…]$/u, '$&.');

export const APPROVE = 'approve';

export const isApproval = (answer: string): boolean =>
  /^\W*(?:approved?|accept(?:ed)?|yes)(?: (?:it|this|that))?\W*$/i.test(answer);
