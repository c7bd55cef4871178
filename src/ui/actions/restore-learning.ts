import { z } from 'zod';
import { restoreLearning as restore } from '../../queue/learnings/learnings.ts';
import { toldRestored } from '../../text/learning-messages.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';

export const restoreLearning = defineAction({
  name: 'restore-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: toldRestored(await restore(queue, given.id)) }),
});
