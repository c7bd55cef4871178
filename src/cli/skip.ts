import { readConfig } from '../knowledge/read-config.ts';
import { skip as skipTasks } from '../queue/decide.ts';
import { decision } from './decide.ts';

export const skip = decision(
  { name: 'skip', summary: 'leave tasks out; what waits for them goes on', examples: ['ralph skip 3'] },
  async ({ queue, root }, ids) => skipTasks(queue, ids, { verify: (await readConfig(root)).verify_feature }),
  'Skipped',
);
