import { z } from 'zod';
import { restoreLearning as restore } from '../../queue/learnings.ts';
import { toldRestored } from '../../queue/told-learning.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';

export const restoreLearning = defineAction({
  name: 'restore-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: toldRestored(await restore(queue, given.id)) }),
});
