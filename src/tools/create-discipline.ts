import * as z from 'zod';
import { createDiscipline as create } from '../queue/create.ts';
import { given, name, text, texts } from './fields.ts';
import { ADDS, defineTool } from './tool.ts';

// No mcp_servers here: what Ralph will execute is written by a person, in a file.
export const createDiscipline = defineTool({
  name: 'create_discipline',
  title: 'Create a discipline',
  description:
    'Add a discipline: the persona, skills and conventions that its tasks are done with. Only when the person asked for one. A name that is taken is refused.',
  input: z.strictObject({
    name: name.describe('its key, such as backend'),
    display_name: text.optional(),
    acronym: text.optional(),
    system_prompt: text.optional().describe('the persona: who does the work, and with what care'),
    skills: texts.optional(),
    conventions: text.optional().describe('the standards its work follows'),
    model: text.optional(),
  }),
  example: { name: 'data', system_prompt: 'You are a data engineer.', skills: ['SQL'] },
  hints: ADDS,
  run: async ({ queue }, { name: key, ...fields }) => {
    await create(queue, { name: key, fields: given(fields) });
    return { text: `Discipline "${key}" is there: ralph://disciplines/${encodeURIComponent(key)}` };
  },
});
