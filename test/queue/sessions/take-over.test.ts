import { expect, it } from 'vitest';
import type { Liveness } from '../../../src/domain/sessions/liveness.ts';
import { identify, liveness } from '../../../src/host/processes/process-identity.ts';
import { changesSince, type Queue } from '../../../src/queue/queue.ts';
import type { Effects } from '../../../src/queue/sessions/finish.ts';
import { LostSession } from '../../../src/queue/sessions/live-session.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { recover } from '../../../src/queue/sessions/recover.ts';
import { startRun, startRunAlone, stopRun } from '../../../src/queue/sessions/runs.ts';
import { showSession } from '../../../src/queue/sessions/sessions.ts';
import { nextTakeOver } from '../../../src/queue/sessions/take-over.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { status } from '../../../src/queue/tasks/status.ts';
import { renewLease } from '../../../src/store/sessions/leases.ts';
import { effectsWith, LIMITS, newSessionId, openTestQueue, TREES } from '../../support/queue.ts';

const FAR = { pid: 4, process_started: '1', host: 'far', boot: 'another', pid_namespace: 'pid:[1]' };
const LEASE_MS = 60_000;

/** A run elsewhere that holds a task, and whose lease is over; and a run here that has just begun. */
async function silentRun(): Promise<{ queue: Queue; far: number; here: number; session_id: string }> {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const far = await startRun(queue, FAR, 'supervisor', { leaseMs: 0 });
  const session_id = newSessionId();
  await claim(queue, { run_id: far, session_id });
  const here = await startRun(queue, identify(process.pid), 'supervisor', { leaseMs: LEASE_MS });
  return { queue, far, here, session_id };
}

type Time = 'lease_since' | 'heartbeat' | 'lease_until';

/** As if so much time had passed since. */
const moveTimes = (queue: Queue, run_id: number, times: readonly Time[], by: number) =>
  queue.store.write(async (db) => {
    for (const time of times)
      await db
        .updateTable('runs')
        .set(({ eb }) => ({ [time]: eb(time, '-', by) }))
        .where('id', '=', run_id)
        .execute();
  });

const recoverHere = (queue: Queue, run_id: number, lookUp: typeof liveness = liveness) =>
  recover(queue, { run_id, lookUp, trees: TREES, effects: effectsWith(), limits: LIMITS });

it('a run takes over a silent run only after its own lease was unbroken for as long as a lease', async () => {
  const { queue, far, here, session_id } = await silentRun();
  expect(await recoverHere(queue, here)).toEqual([]);
  expect(await nextTakeOver(queue, here, liveness)).toBeGreaterThan(0);
  expect((await status(queue)).runs.map(({ id }) => id)).toEqual([far, here]);
  await moveTimes(queue, here, ['lease_since'], LEASE_MS);
  expect(await nextTakeOver(queue, here, liveness)).toBe(0);
  expect(await recoverHere(queue, here)).toMatchObject([
    { session: { id: session_id }, decision: { status: 'pending' } },
  ]);
  expect((await status(queue)).runs.map(({ id }) => id)).toEqual([here]);
  const kinds = (await changesSince(queue, 0)).map(({ kind, run_id }) => `${kind} ${run_id}`);
  expect(kinds).toContain(`session.adopted ${here}`);
  expect(kinds.slice(-2)).toEqual([`run.lost ${far}`, `run.ended ${far}`]);
  // It was only asleep. Nothing that it says counts any more.
  await claim(queue, { run_id: here, session_id: newSessionId() });
  const late = record(queue, { session_id, call_id: null, signal: { verb: 'done', summary: 'Late' } });
  await expect(late).rejects.toThrow(LostSession);
});

it('a run whose own lease is over takes over nothing, and one that comes back in time loses nothing', async () => {
  const { queue, far, here } = await silentRun();
  await moveTimes(queue, here, ['lease_since', 'heartbeat', 'lease_until'], 2 * LEASE_MS);
  expect(await nextTakeOver(queue, here, liveness)).toBe(LEASE_MS);
  expect(await recoverHere(queue, here)).toEqual([]);
  await queue.store.writeAside((db) => renewLease(db, far, 60_000));
  expect(await nextTakeOver(queue, here, liveness)).toBeNull();
  expect(await recoverHere(queue, here)).toEqual([]);
  expect((await status(queue)).runs).toHaveLength(2);
});

it('a run that is seen to be dead is taken over at once', async () => {
  const { queue, here } = await silentRun();
  const lookUp = ({ host }: { host?: string | null }): Liveness => (host === 'far' ? 'dead' : 'alive');
  expect(await recoverHere(queue, here, lookUp)).toHaveLength(1);
  expect((await changesSince(queue, 0)).at(-1)).toMatchObject({
    kind: 'run.ended',
    data: { stop_reason: 'died' },
  });
});

it('what a session consumed and left behind counts, though its work tree is gone', async () => {
  const queue = await openTestQueue();
  const machine: Queue = { ...queue, store: { ...queue.store, isShared: false } };
  await addTask(queue, { title: 'One' });
  const session_id = newSessionId();
  const first = await startRun(queue, FAR);
  await claim(queue, { run_id: first, session_id, root: '/gone' });
  const usage = { model: 'm', turns: 3, input_tokens: 500, output_tokens: 40, cost_usd: 0.25 };
  const effects: Effects = {
    ...effectsWith(),
    readUsage: async () => usage,
    // As for an agent whose signals are read from its stream.
    reap: async (id) => {
      const signal = { verb: 'partial', summary: 'Half.', remaining: 'The rest.' } as const;
      await record(queue, { session_id: id, call_id: null, signal });
    },
  };
  const run_id = await startRun(queue, identify(process.pid));
  const trees = { root: '/project', has: () => false };
  const recovered = await recover(machine, { run_id, lookUp: () => 'dead', trees, effects, limits: LIMITS });
  expect(recovered).toMatchObject([{ session: { id: session_id } }]);
  const { session, signals } = await showSession(queue, session_id);
  expect(session.usage).toEqual(usage);
  expect(signals).toMatchObject([{ verb: 'partial' }]);
});

it('in a fleet each machine and each clone has a run of its own, and a work tree has one', async () => {
  const queue = await openTestQueue();
  const fleet: Queue = { ...queue, store: { ...queue.store, isShared: true } };
  const machine: Queue = { ...queue, store: { ...queue.store, isShared: false } };
  const here = identify(process.pid);
  await startRunAlone(fleet, FAR, liveness, { root: '/clone' });
  await startRunAlone(fleet, here, liveness, { root: '/clone' });
  await startRunAlone(fleet, here, liveness, { root: '/another' });
  await expect(startRunAlone(fleet, here, liveness, { root: '/clone' })).rejects.toThrow('Another ralph run');
  await expect(startRunAlone(machine, here, liveness, { root: '/third' })).rejects.toThrow(
    'Another ralph run',
  );
});

it('a run takes over the session of an ended run whose process lives on, as a worker that runs again has', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const self = identify(process.pid);
  const first = await startRun(queue, self);
  const session_id = newSessionId();
  await claim(queue, { run_id: first, session_id });
  const second = await startRun(queue, self);
  expect(await recoverHere(queue, second)).toEqual([]);
  await stopRun(queue, first, 'unusable');
  expect(await recoverHere(queue, second)).toMatchObject([{ session: { id: session_id } }]);
});

it('a run at work sees the session that an ended run of another machine left', async () => {
  const { queue, far, here, session_id } = await silentRun();
  await stopRun(queue, far, 'unusable');
  expect(await nextTakeOver(queue, here, liveness)).toBeGreaterThan(0);
  await moveTimes(queue, here, ['lease_since'], LEASE_MS);
  expect(await nextTakeOver(queue, here, liveness)).toBe(0);
  expect(await recoverHere(queue, here)).toMatchObject([{ session: { id: session_id } }]);
  expect(await nextTakeOver(queue, here, liveness)).toBe(null);
});
