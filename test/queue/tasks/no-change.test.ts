// A done that changed no file, from the verb to the receipt.
import { expect, it } from 'vitest';
import { NeedsPerson } from '../../../src/domain/refusal.ts';
import { NO_WORK } from '../../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { type Effects, finish } from '../../../src/queue/sessions/finish.ts';
import { LostSession, stopListening } from '../../../src/queue/sessions/live-session.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { decideDrafts } from '../../../src/queue/tasks/decide.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import {
  EXITED,
  effectsWith,
  gateResult,
  LIMITS,
  newSessionId,
  openTestQueue,
  runSession,
} from '../../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'Looked at it.' };
const explained: Signal = { ...done, no_change_reason: 'The limit was there already.' };

const unchanged = (...gates: Parameters<typeof effectsWith>): Effects & { ran: string[] } => {
  const ran: string[] = [];
  return {
    ran,
    isUnchanged: async () => true,
    runGates: async () => {
      ran.push('gates');
      return gates;
    },
    review: async () => {
      ran.push('review');
      return null;
    },
    commit: async () => {
      throw new Error('nothing is there to commit');
    },
  };
};

it('a done without a change or a reason is refused before any gate runs, charged, and told to the next session', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const effects = unchanged(gateResult(true));
  await runSession(queue, [done], { effects });
  expect(effects.ran).toEqual([]);
  expect(await show(queue, 1)).toMatchObject({
    status: 'pending',
    attempts: 1,
    receipt: null,
    comments: [{ author: 'system', body: expect.stringContaining('no file has changed') }],
  });
});

it('a done without a change but with a reason waits for a person, and their approval completes it with a receipt', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await addTask(queue, { title: 'Two', depends_on: [1] });
  const effects = unchanged(gateResult(true));
  const { session_id } = await runSession(queue, [explained], { effects });
  expect(effects.ran).toEqual(['gates']);
  const parked = await show(queue, 1);
  expect(parked).toMatchObject({ status: 'needs_input', attempts: 0, receipt: null });
  expect(parked.questions).toMatchObject([
    {
      blocking: true,
      options: ['approve'],
      question: expect.stringContaining('The limit was there already.'),
    },
  ]);
  const { task } = await answer(queue, 1, 'Approve.');
  expect(task.status).toBe('done');
  expect(await show(queue, 1)).toMatchObject({
    sessions: [{ outcome: 'done' }],
    receipt: {
      session_id,
      summary: 'Looked at it.',
      no_change_reason: 'The limit was there already.',
      commit: null,
      gates: [{ name: 'test', passed: true }],
    },
  });
  expect((await claim(queue, { run_id: await newRun(queue), session_id: newSessionId() }))?.task.id).toBe(2);
});

it('an approved done without a change of the last task of a feature leads to a session that commits the feature', async () => {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  for (const title of ['One', 'Two']) await addTask(queue, { title, feature: 'auth' });
  const commit = async () => NO_WORK;
  await runSession(queue, [done], { effects: { ...effectsWith(gateResult(true)), commit } });
  const effects = { ...unchanged(gateResult(true)), commitsFeatures: async () => true };
  await runSession(queue, [explained], { effects });
  expect((await answer(queue, 1, 'No: guests, too.')).task.status).toBe('pending');
  await runSession(queue, [explained], { effects });
  expect((await answer(queue, 2, 'approve')).task.status).toBe('pending');
  await runSession(queue, [explained], {
    effects: { ...effects, commit: async () => ({ ...NO_WORK, commit: 'a1b2c3d', covers: [1] }) },
  });
  for (const id of [1, 2])
    expect(await show(queue, id)).toMatchObject({ status: 'done', receipt: { commit: 'a1b2c3d' } });
});

it('a done without a change whose gates fail goes back to the queue without a question', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { effects: unchanged(gateResult(false)) });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1, questions: [] });
});

it('a task whose done without a change a person rejects goes back to the queue, and a later approval has no effect', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { effects: unchanged() });
  expect((await answer(queue, 1, 'No: the limit must hold for guests, too.')).task.status).toBe('pending');
  await runSession(queue, [
    { verb: 'ask', question: 'All guests?', blocking: true },
    { verb: 'partial', summary: 'a', remaining: 'b' },
  ]);
  expect((await answer(queue, 1, 'approve', { replace: true })).task.status).toBe('needs_input');
  expect((await answer(queue, 2, 'All.')).task.status).toBe('pending');
});

it('ralph approve accepts a done without a change, but no task with another question', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { effects: unchanged() });
  const none = { dropped: [], verify: false };
  expect(await decideDrafts(queue, { queued: [1], ...none })).toMatchObject([{ status: 'done' }]);
  await addTask(queue, { title: 'Two' });
  await runSession(queue, [
    { verb: 'ask', question: 'Which?', blocking: true },
    { verb: 'partial', summary: 'a', remaining: 'b' },
  ]);
  await expect(decideDrafts(queue, { queued: [2], ...none })).rejects.toThrow(
    'see what it asks of you: ralph why 2',
  );
});

it('a done without a change stands for one session after a person answered what kept the work from being committed', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const hindered: Effects = {
    ...effectsWith(gateResult(true)),
    commit: async () => {
      throw new NeedsPerson('Commit mine.txt as it should be; then answer this question.');
    },
  };
  const still: Effects = { ...effectsWith(gateResult(true)), isUnchanged: async () => true };
  await runSession(queue, [done], { effects: hindered });
  await answer(queue, 1, 'I did.');
  await runSession(queue, [done], { effects: { ...still, runGates: async () => [gateResult(false)] } });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1 });
  await runSession(queue, [done], { effects: still });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 2 });
  await runSession(queue, [done], { effects: hindered });
  await answer(queue, 2, 'I did.');
  await runSession(queue, [done], { effects: still });
  expect(await show(queue, 1)).toMatchObject({ status: 'done' });
});

it('a done without a change completes a task that only investigates', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Find out why', kind: 'investigate' });
  await runSession(queue, [done], {
    effects: { ...effectsWith(gateResult(true)), isUnchanged: async () => true },
  });
  expect(await show(queue, 1)).toMatchObject({
    status: 'done',
    receipt: { no_change_reason: 'The task is to investigate.' },
  });
});

const newRun = (queue: Parameters<typeof startRun>[0]) =>
  startRun(queue, { pid: process.pid, process_started: null });

it('a closing verb does not count after the session was told to end', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const run_id = await newRun(queue);
  const session_id = newSessionId();
  await claim(queue, { run_id, session_id });
  const told = queue.now();
  // Between the moment and its row in the database.
  await record(queue, { session_id, call_id: null, signal: done });
  await stopListening(queue, session_id, told);
  await expect(record(queue, { session_id, call_id: null, signal: done })).rejects.toThrow(LostSession);
  const end = { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null } as const;
  await finish(queue, { session_id, run_id, end, usage: NO_USAGE, effects: effectsWith(), limits: LIMITS });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 0, receipt: null });
});

it('a closing verb counts if it came before the session was told to end', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const run_id = await newRun(queue);
  const session_id = newSessionId();
  await claim(queue, { run_id, session_id });
  await record(queue, { session_id, call_id: null, signal: done });
  await stopListening(queue, session_id, queue.now());
  await finish(queue, {
    session_id,
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects: effectsWith(),
    limits: LIMITS,
  });
  expect(await show(queue, 1)).toMatchObject({ status: 'done' });
});
