import { line, under } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

export const dependencyContext: Section = {
  name: 'dependency_context',
  question: 'What came before, and what can I build on?',
  source: 'depends_on: titles and summaries of finished tasks',
  render: ({ prerequisites }) =>
    prerequisites.length === 0
      ? null
      : under(
          '## Finished before this task',
          prerequisites
            .map(
              ({ id, title, status, summary }) =>
                `- #${id} ${line(title)} (${status})${summary === null ? '' : `: ${line(summary)}`}`,
            )
            .join('\n'),
        ),
};
