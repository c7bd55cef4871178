import { expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { type Effects, finish } from '../../../src/queue/sessions/finish.ts';
import { recordSlot, recordWork, setPhase } from '../../../src/queue/sessions/live-session.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { isSessionOver, showSession } from '../../../src/queue/sessions/sessions.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { eventsAfter } from '../../../src/store/events.ts';
import { EXITED, effectsWith, LIMITS, newSessionId, openTestQueue } from '../../support/queue.ts';

async function begin(queue: Queue, run_id: number): Promise<string> {
  const claimed = await claim(queue, { run_id, session_id: newSessionId() });
  return claimed?.session.id ?? '';
}

it('a phase is written with its event, once, and ends with the session', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const session_id = await begin(queue, run_id);
  expect((await showSession(queue, session_id)).session).toMatchObject({
    slot: null,
    phase: null,
    work_commit: null,
  });
  await recordSlot(queue, session_id, { slot: 2, base_commit: 'b'.repeat(40) });
  await setPhase(queue, session_id, 'working');
  await setPhase(queue, session_id, 'working');
  await setPhase(queue, session_id, 'proving');
  await recordWork(queue, session_id, { commit: 'c'.repeat(40), files: [] });
  expect((await showSession(queue, session_id)).session).toMatchObject({
    slot: 2,
    base_commit: 'b'.repeat(40),
    phase: 'proving',
    work_commit: 'c'.repeat(40),
  });
  const events = await queue.store.read((db) => eventsAfter(db, 0));
  expect(events.filter(({ kind }) => kind === 'session.phase')).toMatchObject([
    { session_id, run_id, data: { phase: 'working', slot: 2 } },
    { session_id, run_id, data: { phase: 'proving', slot: 2 } },
  ]);
  await record(queue, { session_id, call_id: null, signal: { verb: 'stuck', reason: 'x' } });
  await finish(queue, {
    session_id,
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects: effectsWith(),
    limits: LIMITS,
  });
  expect((await showSession(queue, session_id)).session).toMatchObject({ slot: 2, phase: null });
  await setPhase(queue, session_id, 'landing');
  expect((await showSession(queue, session_id)).session.phase).toBeNull();
});

it('a finish enters its phase with the write that closes the session', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const session_id = await begin(queue, run_id);
  await record(queue, { session_id, call_id: null, signal: { verb: 'done', summary: 'x' } });
  const effects: Effects = {
    ...effectsWith(),
    runGates: async () => {
      const { phase, closing } = (await showSession(queue, session_id)).session;
      expect({ phase, isClosed: closing !== null }).toEqual({ phase: 'proving', isClosed: true });
      return [];
    },
  };
  const given = { session_id, run_id, end: EXITED, usage: NO_USAGE, effects, limits: LIMITS };
  await finish(queue, { ...given, phase: 'proving' });
  const events = await queue.store.read((db) => eventsAfter(db, 0));
  expect(events.filter(({ kind }) => kind === 'session.phase')).toMatchObject([
    { data: { phase: 'proving' } },
  ]);
});

it('a session is over once it has ended, and so is one that Ralph does not know', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const session_id = await begin(queue, run_id);
  expect(await isSessionOver(queue, session_id)).toBe(false);
  await finish(queue, {
    session_id,
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects: effectsWith(),
    limits: LIMITS,
  });
  expect(await isSessionOver(queue, session_id)).toBe(true);
  expect(await isSessionOver(queue, newSessionId())).toBe(true);
});
