import { fileSection } from '../files.ts';
import type { Section } from '../section.ts';

export const featureFiles: Section = {
  name: 'feature_files',
  question: 'What documents and code matter for this feature?',
  source: 'feature: knowledge_paths, context_files',
  render: (context) => fileSection(context, 'feature', '## Files of the feature'),
};
