import * as z from 'zod';
import { requireAgents } from '../../project/require-agents.ts';
import { addTasks } from '../../queue/tasks/add.ts';
import { id, taskDetails, title, withoutUndefined } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';

export const createTasks = defineTool({
  name: 'create_tasks',
  title: 'Create tasks',
  description:
    'Add tasks, all or none. Each is one session of work: title with a verb first, discipline, testable criteria. They become drafts for a person; draft false queues them, only if asked.',
  input: z.strictObject({
    tasks: z
      .array(
        z.strictObject({
          title,
          ...taskDetails,
          depends_on: z
            .array(z.union([id, title]))
            .optional()
            .describe('numbers, titles, or @1: first of this batch'),
        }),
      )
      .min(1)
      .max(200),
    draft: z.boolean().default(true),
  }),
  example: {
    tasks: [
      { title: 'Create the orders table', discipline: 'backend' },
      { title: 'List the orders of a customer', depends_on: ['Create the orders table'] },
    ],
  },
  hints: ADDS,
  rare: [
    'output_artifacts',
    'hints',
    'pseudocode',
    'estimated_turns',
    'agent',
    'model',
    'effort',
    'tags',
    'needs',
  ],
  run: async ({ queue, root, client }, { tasks, draft }) => {
    await requireAgents(
      root,
      tasks.map(({ agent }) => agent),
    );
    const inputs = tasks.map(({ title: name, ...rest }) => ({
      title: name,
      ...withoutUndefined(rest),
      draft,
      provenance: 'agent' as const,
    }));
    // A person may want the same work again. A session that Ralph launched has only missed that it is done.
    const added = await addTasks(queue, inputs, { unique: client.bound_session === null ? 'open' : 'ever' });
    const lines = added.map(({ id: number, title: name }) => `#${number} ${name}`);
    return { text: `Added ${draft ? 'as drafts' : 'to the queue'}:\n${lines.join('\n')}` };
  },
});
