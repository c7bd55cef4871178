import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { editableTask, editFrom } from '../../project/definitions/schema/editable-task.ts';
import { requireAgents } from '../../project/require-agents.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import { addTask } from '../../queue/tasks/add.ts';
import { commentedMessage, comment as commentOnTask } from '../../queue/tasks/comment.ts';
import { editTask } from '../../queue/tasks/edit.ts';
import { defineAction } from '../action.ts';
import { id, id as taskId, text } from '../fields.ts';

export const add = defineAction({
  name: 'add',
  input: editableTask.extend({ draft: z.boolean().default(false) }),
  run: async ({ queue, root }, { draft, title, ...fields }) => {
    await requireAgents(root, [fields.agent]);
    const input = { ...editFrom(fields), title };
    const task = await addTask(queue, { ...input, draft });
    return {
      message: `Added #${task.id} ${task.title}${draft ? ' as a draft; approve it to queue it' : ''}.${maskNotice(queue, input)}`,
      id: task.id,
    };
  },
});

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

export const comment = defineAction({
  name: 'comment',
  input: z.strictObject({ id, text }),
  run: async ({ queue }, { id: task, text: words }) => ({
    message: `${commentedMessage(await commentOnTask(queue, task, words))}${maskNotice(queue, words)}`,
  }),
});
