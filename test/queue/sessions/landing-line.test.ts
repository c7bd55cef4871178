import { expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import { identify } from '../../../src/host/processes/process-identity.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { finish } from '../../../src/queue/sessions/finish.ts';
import { isNextInLine, leaveTheLine, waitInLine } from '../../../src/queue/sessions/landing-line.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { effectsWith, LIMITS, newSessionId, openTestQueue } from '../../support/queue.ts';

/** A run with a session, which waits to land. */
async function waitingSession(
  queue: Queue,
  leaseMs = 60_000,
): Promise<{ run_id: number; session_id: string }> {
  await addTask(queue, { title: 'One' });
  const run_id = await startRun(queue, identify(process.pid), 'supervisor', { leaseMs });
  const session_id = newSessionId();
  await claim(queue, { run_id, session_id });
  await waitInLine(queue, session_id);
  return { run_id, session_id };
}

it('sessions land in the order in which they came, and each once the one before has left', async () => {
  const queue = await openTestQueue();
  const first = await waitingSession(queue);
  const second = await waitingSession(queue);
  // It came first, and does not lose its place by asking again.
  await waitInLine(queue, first.session_id);
  expect(await isNextInLine(queue, first.session_id)).toBe(true);
  expect(await isNextInLine(queue, second.session_id)).toBe(false);
  await leaveTheLine(queue, first.session_id);
  expect(await isNextInLine(queue, second.session_id)).toBe(true);
});

it('a session stands behind those that came before, also if the clock stands still or goes back', async () => {
  const queue = await openTestQueue();
  const first = await waitingSession(queue);
  const HOUR_MS = 3_600_000;
  await queue.store.write((db) =>
    db
      .updateTable('sessions')
      .set(({ eb }) => ({ landing_since: eb('landing_since', '+', HOUR_MS) }))
      .execute(),
  );
  const second = await waitingSession(queue);
  expect(await isNextInLine(queue, first.session_id)).toBe(true);
  expect(await isNextInLine(queue, second.session_id)).toBe(false);
});

it('a session that ends leaves the line', async () => {
  const queue = await openTestQueue();
  const { run_id, session_id } = await waitingSession(queue);
  const second = await waitingSession(queue);
  const end = { kind: 'exited', exit_code: 0 } as const;
  await finish(queue, { session_id, run_id, end, usage: NO_USAGE, effects: effectsWith(), limits: LIMITS });
  expect(await isNextInLine(queue, second.session_id)).toBe(true);
});

it('a session whose run has lost its lease holds up nobody', async () => {
  const queue = await openTestQueue();
  const asleep = await waitingSession(queue, 0);
  const awake = await waitingSession(queue);
  expect(await isNextInLine(queue, awake.session_id)).toBe(true);
  // The push decides which of both lands first.
  expect(await isNextInLine(queue, asleep.session_id)).toBe(true);
});

it('what is no session of the queue waits for nobody', async () => {
  const queue = await openTestQueue();
  await waitingSession(queue);
  await waitInLine(queue, 'progress of a feature');
  expect(await isNextInLine(queue, 'progress of a feature')).toBe(true);
});
