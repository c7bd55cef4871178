import { z } from 'zod';
import { editableTask, editFrom } from '../../knowledge/schema/editable-task.ts';
import { addTask } from '../../queue/add.ts';
import { defineAction } from '../action.ts';

export const add = defineAction({
  name: 'add',
  input: editableTask.extend({ draft: z.boolean().default(false) }),
  run: async ({ queue }, { draft, title, ...fields }) => {
    const task = await addTask(queue, { ...editFrom(fields), title, draft });
    return {
      message: `Added #${task.id} ${task.title}${draft ? ' as a draft; approve it to queue it' : ''}.`,
      id: task.id,
    };
  },
});
