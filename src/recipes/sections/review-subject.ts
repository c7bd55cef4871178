import { fence, optional, under } from '../../domain/text/markdown.ts';
import { changesText } from '../changes.ts';
import type { Section } from '../section.ts';

const UNKNOWN = 'Ralph does not know which files it changed: read those that the task and the summary name.';

export const reviewSubject: Section = {
  name: 'review_subject',
  question: 'What was changed, and what did the session say of it?',
  source: 'the tree before the work, the tree that the gates saw, the summary of the session',
  render: (context) =>
    under(
      '## Here is the work to review',
      optional(context.claimed_summary, (text) => `The session said of it:\n\n${fence(text)}`),
      optional(changesText(context), (text) => `What it changed:\n\n${text}`) ??
        (context.changes === null ? UNKNOWN : 'It changed no file.'),
    ),
};
