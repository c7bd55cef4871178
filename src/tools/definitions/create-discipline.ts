import * as z from 'zod';
import { EFFORTS } from '../../domain/tasks/task.ts';
import { requireAgents } from '../../project/require-agents.ts';
import { createDiscipline as create } from '../../queue/definitions/edit.ts';
import { name, text, texts, withoutUndefined } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';

// No mcp_servers here: Ralph executes them, so a person must write them into a file.
export const disciplineFields = {
  display_name: text.optional(),
  acronym: text.optional(),
  system_prompt: text.optional().describe('the persona'),
  skills: texts.optional(),
  conventions: text.optional(),
  agent: name.optional(),
  model: text.optional(),
  effort: z.enum(EFFORTS).optional(),
};

export const createDiscipline = defineTool({
  name: 'create_discipline',
  title: 'Create a discipline',
  description: 'Add a discipline, how tasks are done, if the person asked.',
  input: z.strictObject({ name, ...disciplineFields }),
  example: { name: 'data', system_prompt: 'You are a data engineer.', skills: ['SQL'] },
  hints: ADDS,
  rare: ['display_name', 'acronym', 'skills', 'agent', 'model', 'effort'],
  run: async ({ queue, root }, { name: key, ...fields }) => {
    await requireAgents(root, [fields.agent]);
    await create(queue, { name: key, fields: withoutUndefined(fields) });
    return { text: `Discipline "${key}" is there: ralph://disciplines/${encodeURIComponent(key)}` };
  },
});
