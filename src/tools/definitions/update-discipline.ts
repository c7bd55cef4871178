import * as z from 'zod';
import { requireAgents } from '../../project/require-agents.ts';
import { updateDiscipline as update } from '../../queue/definitions/edit.ts';
import { name, withoutUndefined } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';
import { disciplineFields } from './create-discipline.ts';

export const updateDiscipline = defineTool({
  name: 'update_discipline',
  title: 'Change a discipline',
  description: 'Change given fields of a discipline, as in create_discipline.',
  input: z.strictObject({ name, ...disciplineFields }),
  example: { name: 'data', conventions: 'Migrations are reversible.' },
  hints: REPLACES,
  rare: Object.keys(disciplineFields),
  run: async ({ queue, root }, { name: key, ...fields }) => {
    await requireAgents(root, [fields.agent]);
    await update(queue, key, withoutUndefined(fields));
    return { text: `Discipline "${key}" is changed: ralph://disciplines/${encodeURIComponent(key)}` };
  },
});
