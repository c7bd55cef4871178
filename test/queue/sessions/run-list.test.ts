import { expect, it } from 'vitest';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { listRuns, startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

const HERE = { pid: process.pid, process_started: null };
const done: Signal = { verb: 'done', summary: 'built it' };
const stuck: Signal = { verb: 'stuck', reason: 'no idea' };
const usage = { model: null, turns: 1, input_tokens: 10, output_tokens: 2, cost_usd: 0.25 };

it('runs are listed newest first with their results, page by page', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b' }]);
  const run_id = await startRun(queue, HERE);
  await runSession(queue, [done], { run_id, usage });
  await runSession(queue, [stuck], { run_id, usage });
  await stopRun(queue, run_id, 'enough');
  const interactive = await startRun(queue, HERE, 'interactive');
  const idle = await startRun(queue, HERE);

  const { runs, more } = await listRuns(queue, 2);
  expect(runs).toMatchObject([
    { id: idle, kind: 'supervisor', ended: null, sessions: 0, done: 0, cost_usd: 0 },
    { id: interactive, kind: 'interactive' },
  ]);
  expect(more).toBe(true);
  expect(await listRuns(queue, 2, interactive)).toMatchObject({
    runs: [
      {
        id: run_id,
        stop_reason: 'enough',
        ended: expect.any(Number),
        sessions: 2,
        done: 1,
        cost_usd: 0.5,
        input_tokens: 20,
        output_tokens: 4,
      },
    ],
    more: false,
  });
  expect(await listRuns(queue, 2, run_id)).toEqual({ runs: [], more: false });
});
