// What a session at work pushes of its unfinished work.
import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import type { Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { adoptSession } from '../../src/store/sessions/sessions.ts';
import { shareSlotWork } from '../../src/supervisor/ground/slot-wip.ts';
import { lander } from '../support/landing.ts';
import { newSessionId, openTestQueue } from '../support/queue.ts';
import { meetingPlace, writeIn } from '../support/slots.ts';

/** A session at work on task 1 whose slot holds a change. */
async function atWork() {
  const { bare, first } = await meetingPlace();
  const remote = { name: 'origin', refs: 'refs/ralph/', patienceMs: 0 } as const;
  const { trunk, start } = await lander(first, { remote });
  const { slot, claim: started } = await start(1);
  writeIn(slot, 'src/app.js', 'half\n');
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const self = { pid: process.pid, process_started: null };
  const [run_id, other] = [await startRun(queue, self), await startRun(queue, self)];
  const session_id = newSessionId();
  const claimed = await claim(queue, { run_id, session_id });
  if (claimed === null) throw new Error('No task is ready.');
  let looks = 0;
  const counting: Queue['store'] = {
    ...queue.store,
    read: (work) => {
      looks += 1;
      return queue.store.read(work);
    },
  };
  const run = {
    repository: first.place,
    trunk,
    open: new Map([[session_id, { slot, claim: claimed, base: started.session.base_commit ?? '' }]]),
    rules: { included: [] },
    input: {
      queue: { ...queue, store: counting },
      config: { fleet: { wip_minutes: 0.0005 } },
    },
  };
  return {
    slot,
    looks: () => looks,
    /** Hands the session to another run. */
    adopt: () => queue.store.write((db) => adoptSession(db, session_id, run_id, other)),
    share: () => {
      const sharing = shareSlotWork(run, claimed);
      onTestFinished(sharing.stop);
      return sharing;
    },
    /** The file as the remote has it; null if it has nothing of the task. */
    pushed: (): string | null => {
      const ref = execFileSync('git', ['-C', bare, 'for-each-ref', 'refs/ralph/task-1']).toString();
      const show = ['-C', bare, 'show', 'refs/ralph/task-1:src/app.js'];
      return ref === '' ? null : execFileSync('git', show).toString();
    },
  };
}

it('a session at work pushes its unfinished work, and again after each change', async () => {
  const { slot, share, pushed } = await atWork();
  const sharing = share();
  await expect.poll(pushed).toBe('half\n');
  writeIn(slot, 'src/app.js', 'more\n');
  await expect.poll(pushed).toBe('more\n');
  await sharing.stop();
});

it('a run pushes nothing of a session that another run has taken over', async () => {
  const { looks, adopt, share, pushed } = await atWork();
  await adopt();
  const sharing = share();
  // The stop waits for what this look pushes.
  await expect.poll(looks).toBeGreaterThan(0);
  await sharing.stop();
  expect(pushed()).toBeNull();
});
