import { z } from 'zod';
import { closedMessage, closeFlags } from '../../queue/tasks/flags.ts';
import { defineAction } from '../action.ts';
import { id, text } from '../fields.ts';

export const closeFlag = defineAction({
  name: 'close-flag',
  input: z.strictObject({ id, note: text.default('') }),
  run: async ({ queue, config }, { id: flag, note }) => {
    const { verify_feature: verify } = await config();
    const [closed] = await closeFlags(queue, [flag], { note, verify });
    return { message: closed === undefined ? '' : closedMessage(closed, queue.now()) };
  },
});
