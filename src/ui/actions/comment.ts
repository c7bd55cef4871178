import { z } from 'zod';
import { maskNotice } from '../../queue/mask-input.ts';
import { commentedMessage, comment as commentOnTask } from '../../queue/tasks/comment.ts';
import { defineAction } from '../action.ts';
import { id, text } from '../fields.ts';

export const comment = defineAction({
  name: 'comment',
  input: z.strictObject({ id, text }),
  run: async ({ queue }, { id: task, text: words }) => ({
    message: `${commentedMessage(await commentOnTask(queue, task, words))}${maskNotice(queue, words)}`,
  }),
});
