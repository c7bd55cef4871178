import { fence, optional } from '../../domain/text/markdown.ts';
import { fileSection } from '../files.ts';
import type { Section } from '../recipe.ts';

export const featureFiles: Section = {
  name: 'feature_files',
  question: 'What documents and code matter for this feature?',
  source: 'feature: knowledge_paths, context_files',
  render: (context) => fileSection(context, 'feature', '## Files of the feature'),
};

export const taskFiles: Section = {
  name: 'task_files',
  question: 'What code matters for this very task?',
  source: 'task: context_files',
  render: (context) => fileSection(context, 'task', '## Files for this task'),
};

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
