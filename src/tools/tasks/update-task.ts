import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { requireAgents } from '../../project/require-agents.ts';
import type { Queue } from '../../queue/queue.ts';
import { editTask } from '../../queue/tasks/edit.ts';
import { show } from '../../queue/tasks/show.ts';
import { id, taskDetails, title, withoutUndefined } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const updateTask = defineTool({
  name: 'update_task',
  title: 'Change a task',
  description: 'Change given fields of a task, lists as a whole. Its status: set_task_status.',
  input: z.strictObject({ id, title: title.optional(), ...taskDetails, depends_on: z.array(id).optional() }),
  example: { id: 7, priority: 'high', depends_on: [3] },
  hints: REPLACES,
  rare: [
    'discipline',
    'kind',
    'context_files',
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
  run: async ({ queue, root, client }, { id: number, ...fields }) => {
    await requireAgents(root, [fields.agent]);
    // A person may correct the text of a done task; a session that Ralph launched plans only open ones.
    if (client.bound_session !== null) await requireOpen(queue, number);
    const task = await editTask(queue, number, withoutUndefined(fields));
    return { text: `Task ${task.id} is changed: ${task.title} (${task.status}, ${task.priority}).` };
  },
});

async function requireOpen(queue: Queue, id: number): Promise<void> {
  const { status } = await show(queue, id);
  if (isSatisfied(status) || status === 'in_progress')
    throw new Refusal(
      `Task ${id} is ${status} and stays as it is; nothing was changed. Create a task for new work.`,
    );
}
