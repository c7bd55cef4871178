import * as z from 'zod';
import { addTasks } from '../queue/add.ts';
import { given, id, taskDetails, title } from './fields.ts';
import { ADDS, defineTool } from './tool.ts';

export const createTasks = defineTool({
  name: 'create_tasks',
  title: 'Create tasks',
  description:
    'Add tasks, all of them or none. A task is one session of work: a title that starts with a verb, criteria that a test can confirm, the dependencies that are truly needed. They become drafts that a person approves; draft false queues them at once, only when the person asked for that. A title that an open task has already is refused.',
  input: z.strictObject({
    tasks: z
      .array(
        z.strictObject({
          title,
          ...taskDetails,
          depends_on: z
            .array(z.union([id, title]))
            .optional()
            .describe('numbers of tasks, titles, or @1 for the first of this batch'),
        }),
      )
      .min(1)
      .max(200),
    draft: z.boolean().default(true),
  }),
  example: {
    tasks: [
      { title: 'Create the orders table' },
      { title: 'List the orders of a customer', depends_on: ['Create the orders table'] },
    ],
  },
  hints: ADDS,
  run: async ({ queue, desk }, { tasks, draft }) => {
    const inputs = tasks.map(({ title: name, ...rest }) => ({
      title: name,
      ...given(rest),
      draft,
      provenance: 'agent' as const,
    }));
    // A person may want the same once more; a session that Ralph launched has only not seen that it is done.
    const added = await addTasks(queue, inputs, { unique: desk.bound === null ? 'open' : 'ever' });
    const lines = added.map(({ id: number, title: name }) => `#${number} ${name}`);
    return { text: `Added ${draft ? 'as drafts' : 'to the queue'}:\n${lines.join('\n')}` };
  },
});
