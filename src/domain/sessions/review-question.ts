// Work that passed its gates and that no reviewer has judged: how the person is asked, and what their answer allows.
import { isApproval } from './no-change.ts';

const BEGINNING = 'The gates passed, but the work was not reviewed: ';

export const reviewQuestion = (reason: string): string =>
  `${BEGINNING}${reason}. Answer "accept" to take it as it is, or "review" to have it reviewed again.`;

/** A person who accepts the work once has judged the task: no reviewer is asked about it again. */
export const isAccepted = (questions: readonly { question: string; answer: string | null }[]): boolean =>
  questions.some(({ question, answer }) => question.startsWith(BEGINNING) && isApproval(answer ?? ''));
