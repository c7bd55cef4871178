import { z } from 'zod';
import { editableTask, editFrom } from '../../project/definitions/schema/editable-task.ts';
import { requireAgents } from '../../project/require-agents.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import { addTask } from '../../queue/tasks/add.ts';
import { defineAction } from '../action.ts';

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
