import { expect, it } from 'vitest';
import { isAccepted, reviewQuestion } from '../../../src/domain/sessions/approval-questions.ts';

const answered = (answer: string | null) => [{ question: reviewQuestion('the reviewer left'), answer }];

it.each(['accept', 'Accepted.', 'approve', 'yes', 'accept it'])('"%s" takes work as it is', (answer) => {
  expect(isAccepted(answered(answer))).toBe(true);
});

it.each([null, 'review', 'accept, but rename it first', 'no'])('"%s" does not', (answer) => {
  expect(isAccepted(answered(answer))).toBe(false);
});

it('an approval of something else accepts no work', () => {
  expect(isAccepted([{ question: 'REST or gRPC?', answer: 'accept' }])).toBe(false);
});
