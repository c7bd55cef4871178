import { z } from 'zod';
import { retry as retryTasks } from '../../queue/tasks/decide.ts';
import { defineAction } from '../action.ts';
import { ids, words } from '../fields.ts';
import { told } from './told.ts';

export const retry = defineAction({
  name: 'retry',
  input: z.strictObject({ ids, note: words.default('') }),
  run: async ({ queue }, { ids: wanted, note }) => ({
    message: told('Queued again', await retryTasks(queue, wanted, { note })) ?? '',
  }),
});
