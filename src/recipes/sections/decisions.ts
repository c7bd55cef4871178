import { line, quotedSpan, under } from '../../domain/text/markdown.ts';
import { truncate } from '../../domain/text/text.ts';
import type { Section } from '../recipe.ts';

const MAX_QUESTION = 300;
const MAX_ANSWER = 1_000;

/** Not among the learnings: those yield to the code, but a session that went on without the answer may have built otherwise. */
export const decisions: Section = {
  name: 'decisions',
  question: 'What have people decided since, that the code may not show yet?',
  source: 'answers to questions of other tasks of the feature',
  render: ({ decisions: all }) =>
    under(
      '## What people decided',
      all.length === 0 ? null : 'This holds, even where the code says otherwise.',
      all
        .map(
          ({ question, answer }) =>
            `- ${quotedSpan(truncate(question, MAX_QUESTION))}\n  **${line(truncate(answer, MAX_ANSWER))}**`,
        )
        .join('\n'),
    ),
};
