import * as z from 'zod';
import { createFeature as create } from '../queue/create.ts';
import { given, name, text, texts } from './fields.ts';
import { ADDS, defineTool } from './tool.ts';

export const createFeature = defineTool({
  name: 'create_feature',
  title: 'Create a feature',
  description:
    'Add a feature: a domain whose knowledge all of its tasks share. Only for a domain that is really new; ralph://features lists those there are. A name that is taken is refused.',
  input: z.strictObject({
    name: name.describe('its key, such as auth'),
    display_name: text.optional(),
    description: text.optional().describe('what it is, in two or three sentences'),
    architecture: text.optional().describe('how it is built'),
    boundaries: text.optional().describe('what it does not touch'),
    dependencies: z.array(name).optional().describe('features it builds on'),
    knowledge_paths: texts.optional().describe('documents to know: files, folders or globs'),
    context_files: texts.optional().describe('code to know: files, folders or globs'),
    priority: z.int().positive().max(1_000_000).optional().describe('1 goes first'),
    spec_file: text.optional(),
    acceptance_criteria: texts.optional(),
  }),
  example: { name: 'auth', description: 'Sign-in with sessions.', knowledge_paths: ['docs/auth.md'] },
  hints: ADDS,
  run: async ({ queue }, { name: key, ...fields }) => {
    await create(queue, { name: key, fields: given(fields) });
    return { text: `Feature "${key}" is there: ralph://features/${encodeURIComponent(key)}` };
  },
});
