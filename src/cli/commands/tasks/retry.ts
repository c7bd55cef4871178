import { Option } from 'commander';
import { retry as retryTasks } from '../../../queue/tasks/decide.ts';
import { decision } from '../../decide/decision.ts';

export const retry = decision<{ note?: string }>(
  {
    name: 'retry',
    summary: 'queue failed, blocked or skipped tasks again, or done tasks that lack a proof',
    options: [new Option('--note <text>', 'what the next session should know')],
    examples: ['ralph retry 3', 'ralph retry 3 --note "The fixture is in test/data"'],
  },
  ({ queue }, ids, options) => retryTasks(queue, ids, options),
  'Queued',
);
