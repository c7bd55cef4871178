import { expect, it } from 'vitest';
import { isAccepted, reviewQuestion } from '../../../src/domain/sessions/approval-questions.ts';

const answered = (answer: string | null) => [{ question: reviewQuestion('the reviewer left'), answer }];

it.each(['accept', 'Accepted.', 'approve', 'yes', 'accept it'])(
  'the answer "%s" accepts the work',
  (answer) => {
    expect(isAccepted(answered(answer))).toBe(true);
  },
);

it.each([null, 'review', 'accept, but rename it first', 'no'])(
  'the answer "%s" does not accept the work',
  (answer) => {
    expect(isAccepted(answered(answer))).toBe(false);
  },
);

it('an approval of another question does not accept the work', () => {
  expect(isAccepted([{ question: 'REST or gRPC?', answer: 'accept' }])).toBe(false);
});
