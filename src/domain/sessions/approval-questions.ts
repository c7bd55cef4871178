// Two questions that decide a done: one that changed no file, and one that no reviewer has judged.

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

export function classifyNoChange(task: Pick<Task, 'kind'>, done: SignalOf<'done'>): NoChange {
  if (task.kind === 'investigate')
    return { kind: 'expected', reason: done.no_change_reason ?? 'The task is to investigate.' };
  return done.no_change_reason === undefined
    ? { kind: 'unexplained' }
    : { kind: 'explained', reason: done.no_change_reason };
}

export const NO_CHANGE_REFUSED =
  'The done was refused: no file has changed since the task began. Do the work, or, if no file has to change, say done again with no_change_reason, which a person then approves.';

const NO_CHANGE_PREFIX = 'Done without a change? ';

export const approvalQuestion = (reason: string, completes: boolean): string =>
  `${NO_CHANGE_PREFIX}The agent says: ${asSentence(reason)} Answer "approve" ${completes ? 'and the next session of the task commits its feature' : 'to accept that'}, or say what it should do instead.`;

const asSentence = (text: string): string => text.trim().replace(/[^.!?…]$/u, '$&.');

export const APPROVE = 'approve';

export const isApproval = (answer: string): boolean =>
  /^\W*(?:approved?|accept(?:ed)?|yes)(?: (?:it|this|that))?\W*$/i.test(answer);

/** Whether what a person has answered lets the task be done without a change: they accept it, or have mended what Ralph named. */
export const allowsNoChange = ({ question, answer }: { question: string; answer: string }): boolean =>
  !question.startsWith(NO_CHANGE_PREFIX) || isApproval(answer);

const UNREVIEWED_PREFIX = 'The gates passed, but the work was not reviewed: ';

export const reviewQuestion = (reason: string): string =>
  `${UNREVIEWED_PREFIX}${reason}. Answer "accept" to take it as it is, or "review" to have it reviewed again.`;

/** A person who accepts the work once has judged the task: no reviewer is asked about it again. */
export const isAccepted = (questions: readonly { question: string; answer: string | null }[]): boolean =>
  questions.some(
    ({ question, answer }) => question.startsWith(UNREVIEWED_PREFIX) && isApproval(answer ?? ''),
  );
