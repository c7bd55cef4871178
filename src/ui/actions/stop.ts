import { z } from 'zod';
import { requestStop } from '../../queue/sessions/request-stop.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';

const MESSAGES = {
  after: 'will stop when its current session has ended',
  now: 'is ending its session; the task goes back to the queue, and no try is counted',
};

export const stop = defineAction({
  name: 'stop',
  // A person who wants a run to stop should not have to mend a file first.
  needsFiles: false,
  input: z.strictObject({ run: id, when: z.enum(['after', 'now']) }),
  run: async ({ queue, isAlive }, { run, when }) => {
    await requestStop(queue, run, when, isAlive);
    return { message: `Run ${run} ${MESSAGES[when]}.` };
  },
});
