import { fence, optional, quote, under } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

export const reviewSubject: Section = {
  name: 'review_subject',
  question: 'What was changed, and what did the session say of it?',
  source: 'diff of the work, the summary of its session',
  render: ({ diff, claimed_summary: claimed }) =>
    under(
      '## The work to review',
      optional(claimed, (text) => `The session said of it:\n\n${quote(text)}`),
      optional(diff, (text) => `What it changed:\n\n${fence(text, 'diff')}`) ??
        'There is no diff: look at the work tree and at `git log`.',
    ),
};
