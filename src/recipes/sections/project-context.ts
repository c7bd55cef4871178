import { line, optional, prose, under } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

export const projectContext: Section = {
  name: 'project_context',
  question: 'What project is this?',
  source: 'metadata, CLAUDE.RALPH.md',
  render: ({ project }) =>
    [
      `# Project: ${line(project.title)}`,
      optional(project.description),
      project.notes === null ? null : under('## Project notes', prose(project.notes)),
    ]
      .filter((part) => part !== null)
      .join('\n\n'),
};
