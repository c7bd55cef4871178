import * as z from 'zod';
import { maskNotice } from '../../queue/mask-input.ts';
import { comment, commentedMessage } from '../../queue/tasks/comment.ts';
import { id, words } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';

export const commentOnTask = defineTool({
  name: 'comment_on_task',
  title: 'Comment on a task',
  description: "Note the person's words on any task, for its next session.",
  input: z.strictObject({ id, text: words }),
  example: { id: 7, text: 'The fixture is in test/data.' },
  hints: ADDS,
  run: async ({ queue }, input) => ({
    text: `${commentedMessage(await comment(queue, input.id, input.text))}${maskNotice(queue, input.text)}`,
  }),
});
