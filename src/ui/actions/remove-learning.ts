import { z } from 'zod';
import { removeLearning as remove } from '../../queue/learnings/learnings.ts';
import { toldRemoved } from '../../text/learning-messages.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';

export const removeLearning = defineAction({
  name: 'remove-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: toldRemoved(await remove(queue, given.id)) }),
});
