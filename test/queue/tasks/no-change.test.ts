// A done that changed no file, from the verb to the receipt.
import { expect, it } from 'vitest';
import { NeedsPerson } from '../../../src/domain/refusal.ts';
import { NO_WORK } from '../../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { stopListening } from '../../../src/queue/changes.ts';
import { type Effects, finish } from '../../../src/queue/sessions/finish.ts';
import { LostSession } from '../../../src/queue/sessions/live-session.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { createFeature } from '../../../src/queue/tasks/create.ts';
import { decideDrafts } from '../../../src/queue/tasks/decide.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import {
  EXITED,
  gateResult,
  LIMITS,
  machineWith,
  newSessionId,
  openTestQueue,
  runSession,
} from '../../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'Looked at it.' };
const explained: Signal = { ...done, no_change_reason: 'The limit was there already.' };

const unchanged = (...gates: Parameters<typeof machineWith>): Effects & { ran: string[] } => {
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

it('is refused without a reason before any gate runs, charged, and the next prompt is told', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const machine = unchanged(gateResult(true));
  await runSession(queue, [done], { machine });
  expect(machine.ran).toEqual([]);
  expect(await show(queue, 1)).toMatchObject({
    status: 'pending',
    attempts: 1,
    receipt: null,
    comments: [{ author: 'system', body: expect.stringContaining('no file has changed') }],
  });
});

it('with a reason waits for a person, and their approval makes the receipt, the done and what follows from it', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await addTask(queue, { title: 'Two', depends_on: [1] });
  const machine = unchanged(gateResult(true));
  const { session_id } = await runSession(queue, [explained], { machine });
  expect(machine.ran).toEqual(['gates']);
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

it('of the last task of a feature that is committed as one is approved into a session that commits it', async () => {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  for (const title of ['One', 'Two']) await addTask(queue, { title, feature: 'auth' });
  const commit = async () => NO_WORK;
  await runSession(queue, [done], { machine: { ...machineWith(gateResult(true)), commit } });
  const machine = { ...unchanged(gateResult(true)), commitsFeatures: async () => true };
  await runSession(queue, [explained], { machine });
  expect((await answer(queue, 1, 'No: guests, too.')).task.status).toBe('pending');
  await runSession(queue, [explained], { machine });
  expect((await answer(queue, 2, 'approve')).task.status).toBe('pending');
  await runSession(queue, [explained], {
    machine: { ...machine, commit: async () => ({ ...NO_WORK, commit: 'a1b2c3d', covers: [1] }) },
  });
  for (const id of [1, 2])
    expect(await show(queue, id)).toMatchObject({ status: 'done', receipt: { commit: 'a1b2c3d' } });
});

it('with a reason whose gates fail goes back, and nobody is asked', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { machine: unchanged(gateResult(false)) });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1, questions: [] });
});

it('goes back into the queue where the person says what to do instead, and a later approval of it approves nothing', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { machine: unchanged() });
  expect((await answer(queue, 1, 'No: the limit must hold for guests, too.')).task.status).toBe('pending');
  await runSession(queue, [
    { verb: 'ask', question: 'All guests?', blocking: true },
    { verb: 'partial', summary: 'a', remaining: 'b' },
  ]);
  expect((await answer(queue, 1, 'approve', { replace: true })).task.status).toBe('needs_input');
  expect((await answer(queue, 2, 'All.')).task.status).toBe('pending');
});

it('is accepted by ralph approve as well, but a task with another question is not', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [explained], { machine: unchanged() });
  const none = { dropped: [], verify: false };
  expect(await decideDrafts(queue, { wanted: [1], ...none })).toMatchObject([{ status: 'done' }]);
  await addTask(queue, { title: 'Two' });
  await runSession(queue, [
    { verb: 'ask', question: 'Which?', blocking: true },
    { verb: 'partial', summary: 'a', remaining: 'b' },
  ]);
  await expect(decideDrafts(queue, { wanted: [2], ...none })).rejects.toThrow('answer its question first');
});

it('stands after a person has answered what kept the work from being committed, for one session', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  const hindered: Effects = {
    ...machineWith(gateResult(true)),
    commit: async () => {
      throw new NeedsPerson('Commit mine.txt as it should be; then answer this question.');
    },
  };
  const still: Effects = { ...machineWith(gateResult(true)), isUnchanged: async () => true };
  await runSession(queue, [done], { machine: hindered });
  await answer(queue, 1, 'I did.');
  await runSession(queue, [done], { machine: { ...still, runGates: async () => [gateResult(false)] } });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1 });
  await runSession(queue, [done], { machine: still });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 2 });
  await runSession(queue, [done], { machine: hindered });
  await answer(queue, 2, 'I did.');
  await runSession(queue, [done], { machine: still });
  expect(await show(queue, 1)).toMatchObject({ status: 'done' });
});

it('is as good as any other of a task that is to investigate', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Find out why', kind: 'investigate' });
  await runSession(queue, [done], {
    machine: { ...machineWith(gateResult(true)), isUnchanged: async () => true },
  });
  expect(await show(queue, 1)).toMatchObject({
    status: 'done',
    receipt: { no_change_reason: 'The task is to investigate.' },
  });
});

const newRun = (queue: Parameters<typeof startRun>[0]) =>
  startRun(queue, { pid: process.pid, process_started: null });

it('does not count, as no closing verb does, once its session was told to end', async () => {
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
  await finish(queue, { session_id, run_id, end, usage: NO_USAGE, machine: machineWith(), limits: LIMITS });
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 0, receipt: null });
});

it('counts where it came before its session was told to end', async () => {
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
    machine: machineWith(),
    limits: LIMITS,
  });
  expect(await show(queue, 1)).toMatchObject({ status: 'done' });
});
