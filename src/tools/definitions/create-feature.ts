import * as z from 'zod';
import { createFeature as create } from '../../queue/definitions/edit.ts';
import { name, text, texts, withoutUndefined } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';

export const featureFields = {
  display_name: text.optional(),
  description: text.optional(),
  architecture: text.optional(),
  boundaries: text.optional().describe('what it does not touch'),
  dependencies: z.array(name).optional(),
  knowledge_paths: texts.optional(),
  context_files: texts.optional(),
  priority: z.int().min(1).max(1_000_000).optional().describe('1 goes first'),
  spec_file: text.optional(),
  acceptance_criteria: texts.optional(),
};

export const createFeature = defineTool({
  name: 'create_feature',
  title: 'Create a feature',
  description:
    'Add a feature: a domain whose tasks share knowledge. Only one that is new; see ralph://features.',
  input: z.strictObject({ name, ...featureFields }),
  example: { name: 'auth', description: 'Sign-in with sessions.', knowledge_paths: ['docs/auth.md'] },
  hints: ADDS,
  rare: Object.keys(featureFields).filter((field) => !['description', 'knowledge_paths'].includes(field)),
  run: async ({ queue }, { name: key, ...fields }) => {
    await create(queue, { name: key, fields: withoutUndefined(fields) });
    return { text: `Feature "${key}" is there: ralph://features/${encodeURIComponent(key)}` };
  },
});
