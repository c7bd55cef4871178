// A done that changed no file: refused, expected, or for a person to accept.

import type { Task } from '../tasks/task.ts';
import type { SignalOf } from './signal.ts';

/**
 * `unexplained`: refused. `explained`: a person decides. `expected`: as good as any other done. `completes`: the commit of a
 * whole feature waits for it, which a person's word alone does not make.
 */
export type NoChange =
  | { kind: 'unexplained' }
  | { kind: 'explained'; reason: string; completes?: boolean }
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

const BEGINNING = 'Done without a change? ';

export const approvalQuestion = (reason: string, completes: boolean): string =>
  `${BEGINNING}The agent says: ${asSentence(reason)} Answer "approve" ${completes ? 'and the next session of the task commits its feature' : 'to accept that'}, or say what it should do instead.`;

const asSentence = (text: string): string => text.trim().replace(/[^.!?…]$/u, '$&.');

export const APPROVE = 'approve';

export const isApproval = (answer: string): boolean =>
  /^\W*(?:approved?|accept(?:ed)?|yes)(?: (?:it|this|that))?\W*$/i.test(answer);

/** Whether what a person has answered lets the task be done without a change: they accept it, or have mended what Ralph named. */
export const allowsNoChange = ({ question, answer }: { question: string; answer: string }): boolean =>
  !question.startsWith(BEGINNING) || isApproval(answer);
