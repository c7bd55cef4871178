import { expect, it } from 'vitest';
import { Unreachable, Unusable } from '../../src/domain/refusal.ts';
import { patientQueue, type Queue, queueForAgents } from '../../src/queue/queue.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { show } from '../../src/queue/tasks/show.ts';
import type { Store } from '../../src/store/open.ts';
import { withPatience } from '../../src/store/patient.ts';
import type { SupervisorEvent } from '../../src/supervisor/input.ts';
import { holdLease } from '../../src/supervisor/lease.ts';
import { openTestQueue } from '../support/queue.ts';

const AWAY = new Unreachable('PostgreSQL at db.example.com cannot be reached.');

/** A queue whose server answers only while `isThere` says so. */
async function brittle(isThere: () => boolean): Promise<Queue> {
  const queue = await openTestQueue();
  const orFail = <T>(ask: () => Promise<T>): Promise<T> => (isThere() ? ask() : Promise.reject(AWAY));
  const brittleStore = (store: Store): Store => ({
    ...store,
    isShared: true,
    read: (work) => orFail(() => store.read(work)),
    write: (work) => orFail(() => store.write(work)),
    writeAside: (work) => orFail(() => store.writeAside(work)),
    via: (channel) => brittleStore(store.via(channel)),
  });
  return { ...queue, store: brittleStore(queue.store) };
}

it('a run waits for its database, and what it asked for happens once', async () => {
  let tries = 0;
  const queue = await brittle(() => ++tries > 3);
  const patient = { ...queue, store: withPatience(queue.store, { goOn: () => true, pauseMs: 1 }).via('cli') };
  const { id } = await addTask(patient, { title: 'One' });
  expect(tries).toBe(4);
  expect(id).toBe(1);
  await expect(show(patient, 2)).rejects.toThrow('There is no task 2');
});

it('a run that is over no longer waits, and another fault is not waited for', async () => {
  const queue = await brittle(() => false);
  await expect(
    addTask(
      patientQueue(queue, () => false),
      { title: 'One' },
    ),
  ).rejects.toThrow(AWAY);
  const damaged = { ...queue.store, read: () => Promise.reject(new Unusable('damaged')) };
  const asked = withPatience(damaged, { goOn: () => true }).read(async () => {});
  await expect(asked).rejects.toThrow('damaged');
});

it('an agent hears that its verb is not recorded, and not where the database is', async () => {
  let isThere = true;
  const queue = await brittle(() => isThere);
  await addTask(queue, { title: 'One' });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await claim(queue, { run_id, session_id: 's1' });
  const call = {
    session_id: 's1',
    call_id: 'c1',
    signal: { verb: 'partial', summary: 'Half', remaining: 'Rest' },
  } as const;
  isThere = false;
  const said = await record(queueForAgents(queue, 0), call).catch((error: unknown) => String(error));
  expect(said).toBe(
    'Refusal: Not recorded: the database of Ralph does not answer. Nothing was changed; call the tool again.',
  );
  isThere = true;
  expect(await record(queueForAgents(queue, 0), call)).toMatchObject({ repeated: false });
});

it('a run that loses its database says so, says when it is back, and ends after the limit', async () => {
  let [isThere, time] = [true, 0];
  const queue = await brittle(() => isThere);
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const told: string[] = [];
  const tell = (event: SupervisorEvent): void =>
    void told.push(event.kind === 'fleet' ? event.text : event.kind);
  const config = { fleet: { lease_seconds: 60, heartbeat_seconds: 0.002, keep_days: 30, wip_minutes: 10 } };
  const lease = holdLease({ queue, config, tell }, run_id, { elapsed: () => time });
  isThere = false;
  await expect.poll(() => told.at(-1)).toMatch(/^the database does not answer since .* in 10 minutes$/);
  expect(lease.over.aborted).toBe(false);
  isThere = true;
  await expect.poll(() => told.at(-1)).toBe('the database answers again; nothing was lost');
  isThere = false;
  time = 600_000;
  await expect.poll(() => lease.over.aborted).toBe(true);
  expect(lease.over.reason).toBe('cut_off');
  await lease.stop();
});
