// The questions about a done that changed no file, and about a done that was not reviewed.

import type { Task } from '../tasks/task.ts';
import type { SignalOf } from './signal.ts';

/**
 * `unexplained`: Ralph refuses the done. `explained`: a person decides. `expected`: the done counts like any other.
 * `completes`: the task is the last of its feature, so a session must still make the feature's commit.
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

/** True if the person accepts a done without a change, or answered another question: they may have repaired it themselves. */
export const allowsNoChange = ({ question, answer }: { question: string; answer: string }): boolean =>
  !question.startsWith(NO_CHANGE_PREFIX) || isApproval(answer);

const UNREVIEWED_PREFIX = 'The gates passed, but the work was not reviewed: ';

export const reviewQuestion = (reason: string): string =>
  `${UNREVIEWED_PREFIX}${reason}. Answer "accept" to take it as it is, or "review" to have it reviewed again.`;

/** Once a person accepts the work, Ralph asks no reviewer about the task again. */
export const isAccepted = (questions: readonly { question: string; answer: string | null }[]): boolean =>
  questions.some(
    ({ question, answer }) => question.startsWith(UNREVIEWED_PREFIX) && isApproval(answer ?? ''),
  );
