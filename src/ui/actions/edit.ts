import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { editableTask, editFrom } from '../../project/definitions/schema/editable-task.ts';
import { requireAgents } from '../../project/require-agents.ts';
import { editTask } from '../../queue/tasks/edit.ts';
import { defineAction } from '../action.ts';
import { id as taskId } from '../fields.ts';

const fields = editableTask.partial();

export const edit = defineAction({
  name: 'edit',
  // Several people may have the same task open: `seen` keeps one from overwriting what they have not seen.
  input: z
    .strictObject({ id: taskId, change: fields, seen: fields })
    .refine(
      ({ change, seen }) => Object.keys(change).every((name) => name in seen),
      'must say what was seen of each field that is changed',
    ),
  run: async ({ queue, root }, { id, change, seen }) => {
    await requireAgents(root, [change.agent]);
    if (Object.keys(change).length === 0) throw new Refusal('Nothing to change; say what.');
    const { title } = await editTask(queue, id, editFrom(change), editFrom(seen));
    return { message: `Changed #${id} ${title}.` };
  },
});
