import { under } from '../../domain/text/markdown.ts';
import { quoteOrders, taskTitle } from '../quoted.ts';
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
              ({ id, status, summary, ...task }) =>
                `- #${id} ${taskTitle(task)} (${status})${summary === null ? '' : `: ${quoteOrders(summary)}`}`,
            )
            .join('\n'),
        ),
};
