import * as z from 'zod';
import { approve, retry, skip } from '../../queue/tasks/decide.ts';
import { show } from '../../queue/tasks/show.ts';
import { id } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const setTaskStatus = defineTool({
  name: 'set_task_status',
  title: 'Queue or skip a task',
  description:
    'Only if the person asked: pending queues a draft, or what failed, is skipped or blocked; skipped leaves it out.',
  input: z.strictObject({ id, status: z.enum(['pending', 'skipped']) }),
  example: { id: 7, status: 'pending' },
  hints: REPLACES,
  run: async ({ queue, effects }, { id: number, status }) => {
    const before = (await show(queue, number)).status;
    const verify = await effects.verifiesFeatures();
    const leaveOut: typeof approve = (of, ids) => skip(of, ids, { verify });
    const decide = status === 'skipped' ? leaveOut : before === 'draft' ? approve : retry;
    if (before !== status) await decide(queue, [number]);
    return {
      text: before === status ? `Task ${number} is ${status} already.` : `Task ${number} is ${status}.`,
    };
  },
});
