// What the writes of one task cost on a real PostgreSQL that waits for its disk.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { migrateDatabase } from '../../src/queue/database.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { leaveTheLine, waitInLine } from '../../src/queue/sessions/landing-line.ts';
import { recordSlot, recordWork, setPhase } from '../../src/queue/sessions/live-session.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { fillQueue } from '../bench/fill.ts';
import { startPostgres } from '../postgres.ts';

/** A claim costs the same in a larger queue: `npm run bench` shows that. */
const TASKS = 100_000;
const CYCLES = 200;
const WARM_UP = 20;

/** In milliseconds, for one worker alone: from then on the lock only passes from one to the next. */
export async function measureLock(): Promise<number> {
  const server = await startPostgres({ isDurable: true });
  try {
    await migrateDatabase(server.url('postgres'));
    const queue = await openQueue(server.url('postgres'));
    try {
      console.log(`Filling a queue with ${TASKS.toLocaleString('en')} tasks.`);
      await fillQueue(queue, TASKS, { depends_on: () => [] });
      await queue.store.write((db) => sql`analyze`.execute(db));
      const run_id = await startRun(queue, { pid: process.pid, process_started: null });
      for (let cycle = 0; cycle < WARM_UP; cycle++) await runTask(queue, run_id);
      const began = performance.now();
      for (let cycle = 0; cycle < CYCLES; cycle++) await runTask(queue, run_id);
      return (performance.now() - began) / CYCLES;
    } finally {
      await closeQueue(queue);
    }
  } finally {
    await server.stop();
  }
}

/** Every write of a session that learns two things, tells what it does, and lands. */
async function runTask(queue: Queue, run_id: number): Promise<void> {
  const session_id = randomUUID();
  const claimed = await claim(queue, { run_id, session_id });
  if (claimed === null) throw new Error('No task is left to measure with.');
  await recordSlot(queue, session_id, { slot: 1, base_commit: 'a'.repeat(40) });
  await setPhase(queue, session_id, 'working');
  for (const text of ['The build needs two passes.', 'Dates are in UTC.'])
    await record(queue, {
      session_id,
      call_id: randomUUID(),
      signal: { verb: 'learned', text: `${text} (${session_id})`, kind: 'convention', scope: 'project' },
    });
  await record(queue, {
    session_id,
    call_id: randomUUID(),
    signal: { verb: 'done', summary: 'It is there.' },
  });
  await setPhase(queue, session_id, 'proving');
  await recordWork(queue, session_id, { commit: 'b'.repeat(40), files: ['a.ts', 'b.ts'] });
  await setPhase(queue, session_id, 'landing');
  await waitInLine(queue, session_id);
  await leaveTheLine(queue, session_id);
  await finish(queue, {
    session_id,
    run_id,
    end: { kind: 'exited', exit_code: 0 },
    usage: NO_USAGE,
    effects: { runGates: async () => [], commit: async () => ({ ...NO_WORK, commit: session_id }) },
    limits: { max_attempts: 3, stuck: 3 },
  });
}
