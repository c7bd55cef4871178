import { readConfig } from '../../../project/read-config.ts';
import { skip as skipTasks } from '../../../queue/tasks/decide.ts';
import { decision } from '../../decide/decision.ts';

export const skip = decision(
  {
    name: 'skip',
    summary: 'leave tasks out; tasks that wait for them can start',
    examples: ['ralph skip 3'],
  },
  async ({ queue, root }, ids) => skipTasks(queue, ids, { verify: (await readConfig(root)).verify_feature }),
  'Skipped',
);
