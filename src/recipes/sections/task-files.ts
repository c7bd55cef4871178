import { fileSection } from '../files.ts';
import type { Section } from '../section.ts';

export const taskFiles: Section = {
  name: 'task_files',
  question: 'What code matters for this very task?',
  source: 'task: context_files',
  render: (context) => fileSection(context, 'task', '## Files for this task'),
};
