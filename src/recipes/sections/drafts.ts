import { line, optional, under } from '../../domain/text/markdown.ts';
import { taskText, taskTitle } from '../quoted.ts';
import type { Section } from '../section.ts';

export const drafts: Section = {
  name: 'drafts',
  question: 'Which drafts are to be enriched?',
  source: 'tasks in status draft',
  render: ({ drafts: all }) =>
    all.length === 0
      ? null
      : under(
          '## Drafts to enrich',
          ...all.map(({ id, description, feature, discipline, ...task }) => {
            const place = [...(feature === null ? [] : [feature]), discipline ?? 'no discipline'].map(line);
            return under(
              `### #${id} ${taskTitle(task)} (${place.join(', ')})`,
              optional(description, (text) => taskText(text, task.provenance === 'agent')) ??
                'No description yet.',
            );
          }),
        ),
};
