import { expect, it } from 'vitest';
import { NEED_KINDS } from '../../../src/domain/notifications/need.ts';
import type { PullDecision } from '../../../src/domain/pull-requests/decide-pull.ts';
import type { PullRequest } from '../../../src/domain/pull-requests/pull-request.ts';
import { NO_WORK } from '../../../src/domain/sessions/gate.ts';
import { beginOutbox, collectNeeds, takeNeeds } from '../../../src/queue/notifications/outbox.ts';
import { recordOpened, takePulls } from '../../../src/queue/pull-requests/look.ts';
import { settleClosed, settleMerged, settleReturned } from '../../../src/queue/pull-requests/settle-pull.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { verifyEvidence } from '../../../src/queue/sessions/verify-evidence.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { peek } from '../../../src/queue/tasks/status.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const done = { verb: 'done', summary: 'Built.' } as const;
const EFFECTS = {
  ...effectsWith(gateResult(true)),
  commit: async () => ({
    ...NO_WORK,
    tree_hash: 'tree',
    proposal: { branch: 'ralph/task-1-one', base: 'main', head: 'a' },
  }),
};

/** A task whose work waits in a pull request, and one that depends on it. */
async function proposing(): Promise<Queue> {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await addTask(queue, { title: 'Two', depends_on: [1] });
  expect((await runSession(queue, [done], { effects: EFFECTS })).decision).toMatchObject({
    status: 'blocked',
    outcome: 'proposed',
  });
  return queue;
}

async function proposed(): Promise<{ queue: Queue; pull: PullRequest }> {
  const queue = await proposing();
  return { queue, pull: await take(queue) };
}

async function take(queue: Queue): Promise<PullRequest> {
  const [pull] = await takePulls(queue, { isAll: true });
  if (pull === undefined) throw new Error('there is no pull request');
  return pull;
}

const back = (charge: Extract<PullDecision, { kind: 'back' }>['charge'], hasConflict = false) => ({
  decision: { kind: 'back', changes: [], red: [], hasConflict, charge } as const,
  text: 'What they said.',
  head: 'a',
  seen: { seen_review: 3, seen_comment: 4 },
  max_attempts: 3,
});

it('a merged pull request makes its task done with a proof, once, and lets dependents start', async () => {
  const { queue, pull } = await proposed();
  expect(await peek(queue)).toBeNull();
  await recordOpened(queue, pull, { number: 12, url: 'https://x/12' });
  expect((await show(queue, 1)).blocked_by).toBe('pull request #12 (https://x/12)');
  expect(await settleMerged(queue, pull, { commit: 'c', verify: false })).toBe(true);
  expect(await settleMerged(queue, pull, { commit: 'd', verify: false })).toBe(false);
  expect(await show(queue, 1)).toMatchObject({
    status: 'done',
    blocked_by: null,
    receipt: { commit: 'c', tree_hash: 'tree', summary: 'Built.' },
    pull_request: { number: 12, state: 'merged' },
  });
  expect(await peek(queue)).toMatchObject({ id: 2 });
  expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
});

it('a task that is put back pays as its cause says, hears it once, and can still be merged', async () => {
  const { queue, pull } = await proposed();
  expect(await settleReturned(queue, pull, back('attempt'))).toBe(true);
  // It is queued: the same again changes nothing.
  expect(await settleReturned(queue, pull, back('attempt'))).toBe(false);
  expect(await show(queue, 1)).toMatchObject({
    status: 'pending',
    attempts: 1,
    comments: [{ author: 'system', body: 'What they said.' }],
  });
  await runSession(queue, [done], { effects: EFFECTS });
  expect(await take(queue)).toMatchObject({ id: pull.id, returned: 'a', seen_review: 3, seen_comment: 4 });
  await settleReturned(queue, pull, back('none', true));
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1 });
  await runSession(queue, [done], { effects: EFFECTS });
  await settleReturned(queue, pull, back('attempt'));
  await runSession(queue, [done], { effects: EFFECTS });
  await settleReturned(queue, pull, back('attempt'));
  expect(await show(queue, 1)).toMatchObject({ status: 'failed', attempts: 3 });
  // A person's request is a new beginning.
  await settleReturned(queue, pull, back('fresh'));
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(await settleMerged(queue, pull, { commit: 'c', verify: false })).toBe(true);
  expect((await show(queue, 1)).status).toBe('done');
  expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
});

it('a pull request that is closed asks a person, and is looked at no more', async () => {
  const { queue, pull } = await proposed();
  await recordOpened(queue, pull, { number: 12, url: '' });
  expect(await settleClosed(queue, pull)).toBe(true);
  expect(await settleClosed(queue, pull)).toBe(false);
  const { status, questions } = await show(queue, 1);
  expect({ status, questions }).toMatchObject({
    status: 'needs_input',
    questions: [{ question: expect.stringContaining('Pull request #12 of this task was closed') }],
  });
  expect(await takePulls(queue, { isAll: true })).toEqual([]);
});

it('a session that had to change nothing, as a person agrees, leaves the pull request to be merged', async () => {
  const { queue, pull } = await proposed();
  await settleReturned(queue, pull, back('attempt'));
  const nothing = { ...done, no_change_reason: 'The check was flaky.' };
  const effects = { ...EFFECTS, isUnchanged: async () => true };
  expect((await runSession(queue, [nothing], { effects })).decision.status).toBe('needs_input');
  await answer(queue, 1, 'Approve.');
  expect(await show(queue, 1)).toMatchObject({ status: 'blocked', receipt: null });
  expect(await settleMerged(queue, pull, { commit: 'c', verify: false })).toBe(true);
});

it('a person is told once that a pull request is ready, again after each push, and that its task failed or asks', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await beginOutbox(queue);
  const told = async (): Promise<string[]> => {
    await collectNeeds(queue, [{ key: 'phone', on: NEED_KINDS }]);
    const needs = await takeNeeds(queue, ['phone'], { isLast: true });
    return needs.map(({ text, command }) => `${text} | ${command}`);
  };
  const push = async (): Promise<PullRequest> => {
    await runSession(queue, [done], { effects: EFFECTS });
    return take(queue);
  };
  const pull = await push();
  // GitHub has not taken it yet: there is nothing to merge.
  expect(await told()).toEqual([]);
  const opened = { number: 12, url: 'https://x/12' };
  await recordOpened(queue, pull, opened);
  expect(await told()).toEqual(['#1 One is ready to be merged: https://x/12 | ralph why 1']);
  await settleReturned(queue, pull, { ...back('attempt'), max_attempts: 2 });
  expect(await told()).toEqual([]);
  await recordOpened(queue, await push(), opened);
  expect(await told()).toEqual(['#1 One is ready to be merged: https://x/12 | ralph why 1']);
  await settleReturned(queue, pull, { ...back('attempt'), max_attempts: 2 });
  expect(await told()).toEqual(['#1 One failed | ralph show 1']);
  await settleReturned(queue, pull, back('fresh'));
  await push();
  await settleClosed(queue, pull);
  expect(await told()).toEqual([
    expect.stringContaining('#1 One asks Q1: Pull request #12 of this task was'),
  ]);
});

it('of two processes that look at the same time, one gets each pull request', async () => {
  const queue = await proposing();
  const due = { isAll: false };
  const both = await Promise.all([takePulls(queue, due), takePulls(queue, due)]);
  expect(both.flat()).toHaveLength(1);
  // The next look is not due yet.
  expect(await takePulls(queue, due)).toEqual([]);
});
