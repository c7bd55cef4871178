import { z } from 'zod';
import { skip as skipTasks } from '../../queue/tasks/decide.ts';
import { defineAction } from '../action.ts';
import { ids } from '../fields.ts';
import { told } from './told.ts';

export const skip = defineAction({
  name: 'skip',
  input: z.strictObject({ ids }),
  run: async ({ queue, config }, given) => {
    const { verify_feature: verify } = await config();
    return { message: told('Skipped', await skipTasks(queue, given.ids, { verify })) ?? '' };
  },
});
