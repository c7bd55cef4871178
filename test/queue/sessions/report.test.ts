import { expect, it } from 'vitest';
import { NotLanded } from '../../../src/domain/sessions/landing.ts';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import { finish } from '../../../src/queue/sessions/finish.ts';
import { saveGateResults } from '../../../src/queue/sessions/gate-results.ts';
import { recordSlot } from '../../../src/queue/sessions/live-session.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { report } from '../../../src/queue/sessions/report.ts';
import { startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import {
  EXITED,
  effectsWith,
  gateResult,
  LIMITS,
  newSessionId,
  openTestQueue,
  runSession,
} from '../../support/queue.ts';

const done = { verb: 'done', summary: 'built it' } as const;

it('the report of a run tells how much ran side by side, what landed and what did not fit', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const begin = async () => {
    const claimed = await claim(queue, { run_id, session_id: newSessionId() });
    if (claimed === null) throw new Error('nothing is ready');
    return claimed.session;
  };
  const both = [await begin(), await begin()];
  for (const [index, { id }] of both.entries())
    await recordSlot(queue, id, { slot: index + 1, base_commit: 'a'.repeat(40) });
  // What was red before a session is no run that its landing needed.
  for (const session of both)
    await saveGateResults(queue, { session, results: [gateResult(true)], baseline: true });
  const outrun = async (): Promise<never> => {
    throw new NotLanded({ kind: 'red', onto: 'f'.repeat(40), others: [] }, [gateResult(false)]);
  };
  for (const [index, { id }] of both.entries()) {
    await record(queue, { session_id: id, call_id: null, signal: done });
    const effects = effectsWith(gateResult(true));
    await finish(queue, {
      session_id: id,
      run_id,
      end: EXITED,
      usage: NO_USAGE,
      effects: index === 0 ? effects : { ...effects, commit: outrun },
      limits: LIMITS,
    });
  }
  await runSession(queue, [{ verb: 'stuck', reason: 'x' }], { run_id });
  await stopRun(queue, run_id, 'done');
  // Another run, which the report leaves out.
  await runSession(queue, [done]);
  const { parallel, run, tasks } = await report(queue, run_id);
  expect(parallel).toMatchObject({ peak: 2, gate_runs: 3, landed: 1, conflicts: 1 });
  expect(parallel.wall_ms).toBe((run.ended ?? 0) - run.started);
  expect(parallel.sessions_ms).toBe(tasks.reduce((sum, { duration_ms }) => sum + duration_ms, 0));
});
