import { z } from 'zod';
import { retry as retryTasks } from '../../queue/decide.ts';
import { defineAction } from '../action.ts';
import { ids } from '../fields.ts';
import { told } from './told.ts';

export const retry = defineAction({
  name: 'retry',
  input: z.strictObject({ ids }),
  run: async ({ queue }, given) => ({
    message: told('Queued again', await retryTasks(queue, given.ids)) ?? '',
  }),
});
