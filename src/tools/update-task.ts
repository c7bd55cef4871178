import * as z from 'zod';
import { editTask } from '../queue/edit.ts';
import { given, id, taskDetails, title } from './fields.ts';
import { defineTool, REPLACES } from './tool.ts';

export const updateTask = defineTool({
  name: 'update_task',
  title: 'Change a task',
  description:
    'Change what a task says; only the fields that are given change, lists are replaced whole. Not for its status: use set_task_status. A field that a file of the project defines is refused, with the file to change.',
  input: z.strictObject({ id, title: title.optional(), ...taskDetails, depends_on: z.array(id).optional() }),
  example: { id: 7, priority: 'high', depends_on: [3] },
  hints: REPLACES,
  run: async ({ queue }, { id: number, ...fields }) => {
    const task = await editTask(queue, number, given(fields));
    return { text: `Task ${task.id} is changed: ${task.title} (${task.status}, ${task.priority}).` };
  },
});
