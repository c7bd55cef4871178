import { fence, optional } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

export const stateFiles: Section = {
  name: 'state_files',
  question: 'What has happened in the project so far?',
  source: '.ralph/progress.txt, .ralph/learnings.txt',
  render: ({ project }) => {
    const parts = [
      optional(project.progress, (text) => `## Progress so far\n\n${fence(text)}`),
      optional(project.learnings, (text) => `## Notes from earlier sessions\n\n${fence(text)}`),
    ].filter((part) => part !== null);
    return parts.length === 0 ? null : parts.join('\n\n');
  },
};
