import { retry as retryTasks } from '../queue/decide.ts';
import { decision } from './decide.ts';

export const retry = decision(
  {
    name: 'retry',
    summary: 'queue failed, blocked or skipped tasks again',
    examples: ['ralph retry 3'],
  },
  ({ queue }, ids) => retryTasks(queue, ids),
  'Queued',
);
