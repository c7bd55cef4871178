// One machine of a fleet, reduced to its queue: it holds a lease, takes over what silent runs left, claims, reports and finishes.
// argv: address, name, folder of landings, hours that its clock is wrong. A landing is a file with the session's name, as a commit has
// its trailer; a process that is taken over may try to land it once more.
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unusable } from '../../src/domain/refusal.ts';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { identify, liveness } from '../../src/host/processes/process-identity.ts';
import { openQueue, patientQueue, type Queue } from '../../src/queue/queue.ts';
import { type Effects, finish } from '../../src/queue/sessions/finish.ts';
import { keepHeartbeat } from '../../src/queue/sessions/heartbeat.ts';
import { LostSession } from '../../src/queue/sessions/live-session.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { recover } from '../../src/queue/sessions/recover.ts';
import { startRun, stopRun } from '../../src/queue/sessions/runs.ts';
import { nextTakeOver } from '../../src/queue/sessions/take-over.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { status } from '../../src/queue/tasks/status.ts';
import { LEASE } from './settings.ts';

const [address = '', name = '', landings = '', hours = '0'] = process.argv.slice(2);
const clock = (): number => Date.now() + Number(hours) * 3_600_000;
const opened = await openPatiently();
const queue: Queue = patientQueue(opened, () => true);
const identity = { ...identify(process.pid), host: name, boot: name };
const limits = { max_attempts: 3, stuck: 3 };
const trees = { root: '/', has: () => false };
const effects: Effects = {
  runGates: async () => {
    await sleep(50);
    return [];
  },
  commit: async ({ session, task }) => {
    const file = join(landings, `${task.id}.${session.id}`);
    if (!existsSync(file)) writeFileSync(file, name);
    await sleep(50);
    return { ...NO_WORK, commit: session.id };
  },
};

/** A person would start it again. */
async function openPatiently(): Promise<Queue> {
  for (;;) {
    try {
      return await openQueue(address, clock);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      await sleep(200);
    }
  }
}

/** Ends when nothing is left, or when another machine has taken over. */
async function work(): Promise<'done' | 'lost'> {
  const run_id = await startRun(queue, identity, 'supervisor', { leaseMs: LEASE.leaseMs });
  let isLost = false;
  const heartbeat = keepHeartbeat(opened, run_id, LEASE, {
    onLost: () => {
      isLost = true;
    },
  });
  try {
    while (!isLost) {
      if ((await nextTakeOver(queue, run_id, liveness)) === 0)
        await recover(queue, { run_id, lookUp: liveness, isHere: () => false, trees, effects, limits });
      const claimed = await claim(queue, { run_id, session_id: randomUUID() });
      if (claimed === null) {
        const { counts } = await status(queue);
        if (counts.pending + counts.in_progress === 0) return 'done';
        await sleep(100);
      } else await runSession(run_id, claimed.session.id);
    }
    return 'lost';
  } finally {
    await heartbeat.stop();
    if (!isLost) await stopRun(queue, run_id, 'finished').catch(() => {});
  }
}

async function runSession(run_id: number, session_id: string): Promise<void> {
  try {
    await sleep(100 + Math.random() * 300);
    await record(queue, { session_id, call_id: session_id, signal: { verb: 'done', summary: `by ${name}` } });
    const end = { kind: 'exited', exit_code: 0 } as const;
    await finish(queue, { session_id, run_id, end, usage: NO_USAGE, effects, limits });
  } catch (error) {
    // Another machine has it, or the answer was lost for good: the next one that looks settles it.
    if (!(error instanceof LostSession || error instanceof Unusable)) throw error;
  }
}

while ((await work()) === 'lost');
process.exit(0);
