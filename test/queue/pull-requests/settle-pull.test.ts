import { expect, it } from 'vitest';
import { NEED_KINDS } from '../../../src/domain/notifications/notification.ts';
import type { PullDecision } from '../../../src/domain/pull-requests/decide-pull.ts';
import type { PullRequest } from '../../../src/domain/pull-requests/pull-request.ts';
import { NO_WORK } from '../../../src/domain/sessions/gate.ts';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { beginOutbox, collectNeeds, takeNeeds } from '../../../src/queue/notifications/outbox.ts';
import { readEarlierNumbers, recordOpened, takePulls } from '../../../src/queue/pull-requests/look.ts';
import { findBranch } from '../../../src/queue/pull-requests/propose.ts';
import {
  settleClosed,
  settleMerged,
  settleReopened,
  settleReturned,
} from '../../../src/queue/pull-requests/settle-pull.ts';
import { checkHealth, type Queue } from '../../../src/queue/queue.ts';
import { verifyEvidence } from '../../../src/queue/sessions/verify-evidence.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { removeTasks } from '../../../src/queue/tasks/remove.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { peek, status } from '../../../src/queue/tasks/status.ts';
import { why } from '../../../src/queue/tasks/why.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const done = { verb: 'done', summary: 'Built.' } as const;
const EFFECTS = {
  ...effectsWith(gateResult(true)),
  commit: async () => ({
    ...NO_WORK,
    tree_hash: 'tree',
    proposal: { branch: 'ralph/task-1-one', base: 'main', head: 'a', feature: null },
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
  task_id: 1,
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
  expect(
    await settleMerged(queue, pull, { commit: 'c', late: [], dropped: [], verify: false }),
  ).toMatchObject({
    done: [1],
  });
  expect(await settleMerged(queue, pull, { commit: 'd', late: [], dropped: [], verify: false })).toBeNull();
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
  expect(await settleReturned(queue, pull, back('attempt'))).toBeNull();
  expect(await show(queue, 1)).toMatchObject({
    status: 'pending',
    attempts: 1,
    comments: [{ author: 'system', body: 'What they said.' }],
  });
  await runSession(queue, [done], { effects: EFFECTS });
  expect(await take(queue)).toMatchObject({ id: pull.id, returned: 'a', seen_review: 3, seen_comment: 4 });
  await settleReturned(queue, pull, back('none', true));
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 1 });
  expect(await take(queue)).toMatchObject({ conflicts: 1 });
  await runSession(queue, [done], { effects: EFFECTS });
  await settleReturned(queue, pull, back('attempt'));
  await runSession(queue, [done], { effects: EFFECTS });
  await settleReturned(queue, pull, back('attempt'));
  expect(await show(queue, 1)).toMatchObject({ status: 'failed', attempts: 3 });
  // A person's request is a new beginning.
  await settleReturned(queue, pull, back('fresh'));
  expect(await show(queue, 1)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(
    await settleMerged(queue, await take(queue), { commit: 'c', late: [], dropped: [], verify: false }),
  ).not.toBeNull();
  expect((await show(queue, 1)).status).toBe('done');
  expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
});

it('a pull request that is closed asks a person, once', async () => {
  const { queue, pull } = await proposed();
  await recordOpened(queue, pull, { number: 12, url: '' });
  expect(await settleClosed(queue, pull)).toEqual({ task_id: 1 });
  expect(await settleClosed(queue, pull)).toBeNull();
  const { status, questions } = await show(queue, 1);
  expect({ status, questions }).toMatchObject({
    status: 'needs_input',
    questions: [{ question: expect.stringContaining('Pull request #12 of this task was closed') }],
  });
});

it('a closed pull request that somebody opens again withdraws its question, and merged at any time it is done', async () => {
  const whole = { commit: 'c', late: [], dropped: [], verify: false };
  for (const isSeenOpen of [true, false]) {
    const { queue, pull } = await feature();
    await settleClosed(queue, pull);
    expect(await statuses(queue)).toEqual(['needs_input', 'blocked', 'pending', 'pending']);
    // What was looked at before the closing settles nothing any more.
    expect(await settleMerged(queue, pull, whole)).toBeNull();
    const closed = await take(queue);
    expect(closed).toMatchObject({ id: pull.id, state: 'closed' });
    if (isSeenOpen) {
      expect(await settleReopened(queue, closed)).toBe(true);
      expect(await settleReopened(queue, closed)).toBeNull();
      for (const id of [1, 2])
        expect(await show(queue, id)).toMatchObject({
          status: 'blocked',
          blocked_by: 'pull request #12',
          questions: id === 1 ? [{ dismissed: expect.any(Number) }] : [],
        });
      // They are on the branch again, so the next one can start from there.
      expect(await peek(queue)).toMatchObject({ id: 3 });
      expect((await status(queue)).pull_requests.map(({ task_id }) => task_id)).toEqual([1, 2]);
    }
    expect(await settleMerged(queue, await take(queue), whole)).toMatchObject({ done: [1, 2] });
    expect(await statuses(queue)).toEqual(['done', 'done', 'pending', 'pending']);
    expect((await status(queue)).questions).toEqual([]);
    expect(await takePulls(queue, { isAll: true })).toEqual([]);
    expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
    expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
  }
});

it('a task that asks something else as well goes on asking that when its pull request is opened again', async () => {
  const { queue, pull } = await proposed();
  await recordOpened(queue, pull, { number: 12, url: '' });
  await settleReturned(queue, pull, back('none'));
  const ask = { verb: 'ask', question: 'Which index?', blocking: true } as const;
  await runSession(queue, [ask, { verb: 'partial', summary: 'Half.', remaining: 'Half.' }]);
  await settleClosed(queue, await take(queue));
  await settleReopened(queue, await take(queue));
  expect(await show(queue, 1)).toMatchObject({ status: 'needs_input', questions: [{ dismissed: null }] });
});

it('if the task that asks about a closed pull request is over, another one asks, or waits for one that goes on', async () => {
  const ends: Record<string, (queue: Queue) => Promise<unknown>> = {
    skipped: (queue) => skip(queue, [1]),
    removed: async (queue) => {
      await editTask(queue, 4, { depends_on: [] });
      await editTask(queue, 2, { depends_on: [] });
      await editTask(queue, 3, { depends_on: [2] });
      await removeTasks(queue, { ids: [1], replacement: null }, { verify: false });
    },
    failed: async (queue) => {
      await answer(queue, 1, 'Again.');
      for (let tries = 0; tries < 3; tries++)
        await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
    },
    done: async (queue) => {
      await answer(queue, 1, 'Again.');
      const nothing = { ...done, no_change_reason: 'It is there.' };
      await runSession(queue, [nothing], { effects: { ...EFFECTS, isUnchanged: async () => true } });
      await answer(queue, 2, 'Approve.');
    },
  };
  for (const [status, end] of Object.entries(ends)) {
    const { queue, pull } = await feature();
    await settleClosed(queue, pull);
    await end(queue);
    expect((await show(queue, 1)).status).toBe(status === 'removed' ? 'skipped' : status);
    const { questions, ...second } = await show(queue, 2);
    expect(second, status).toMatchObject({ status: 'needs_input', blocked_by: null });
    expect(questions, status).toMatchObject([
      { question: expect.stringMatching(/^Pull request #12 of this task was closed.*ralph skip 2\.$/) },
    ]);
    expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  }
  // While another task of the branch goes on, nobody else is asked: its push takes the waiting ones along.
  const { queue, push } = await feature();
  await push(3);
  await settleReturned(queue, await take(queue), { ...back('attempt'), task_id: 3 });
  await settleClosed(queue, await take(queue));
  await skip(queue, [1]);
  expect(await show(queue, 2)).toMatchObject({
    status: 'blocked',
    blocked_by: expect.stringMatching(/ralph why 3$/),
  });
});

it('a task whose work the merge does not hold asks, and a person may say that it is there', async () => {
  const { queue, pull } = await feature();
  const merged = await settleMerged(queue, pull, { commit: 'c', late: [], dropped: [1], verify: false });
  expect(merged).toEqual({ done: [2], next: null, asking: [1] });
  expect(await statuses(queue)).toEqual(['needs_input', 'done', 'pending', 'pending']);
  expect((await show(queue, 1)).questions).toMatchObject([
    {
      question: expect.stringMatching(/^Pull request #12 was merged, .*\(commit head-1\)/),
      options: ['approve'],
    },
  ]);
  // Task 3 started from its work before, and waits for it now.
  expect(await peek(queue)).toBeNull();
  expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  await answer(queue, 1, 'approve');
  expect(await show(queue, 1)).toMatchObject({ status: 'done', receipt: { summary: 'Built.' } });
  expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
});

it('a session that had to change nothing, as a person agrees, leaves the pull request to be merged', async () => {
  const { queue, pull } = await proposed();
  await settleReturned(queue, pull, back('attempt'));
  const nothing = { ...done, no_change_reason: 'The check was flaky.' };
  const effects = { ...EFFECTS, isUnchanged: async () => true };
  expect((await runSession(queue, [nothing], { effects })).decision.status).toBe('needs_input');
  await answer(queue, 1, 'Approve.');
  expect(await show(queue, 1)).toMatchObject({ status: 'blocked', receipt: null });
  expect(
    await settleMerged(queue, pull, { commit: 'c', late: [], dropped: [], verify: false }),
  ).not.toBeNull();
});

it('a person is told once that a pull request is ready, again after each push, and that its task failed or asks', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await beginOutbox(queue);
  const told = async (): Promise<string[]> => {
    await collectNeeds(queue, [{ key: 'phone', on: NEED_KINDS }]);
    const messages = await takeNeeds(queue, ['phone'], { isLast: true });
    return messages.flatMap(({ needs }) => needs).map(({ text, command }) => `${text} | ${command}`);
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

/** Tasks 1 and 2 of a feature on its branch; 3 depends on both, 4 is of no feature and depends on the first. */
async function feature(): Promise<{
  queue: Queue;
  pull: PullRequest;
  push(task_id: number, isNew?: boolean): Promise<void>;
}> {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'search', fields: {} });
  await addTask(queue, { title: 'One', feature: 'search' });
  await addTask(queue, { title: 'Two', feature: 'search', depends_on: [1] });
  await addTask(queue, { title: 'Three', feature: 'search', depends_on: [1, 2] });
  await addTask(queue, { title: 'Four', depends_on: [1] });
  const push = async (task_id: number, isNew = false): Promise<void> => {
    const head = `head-${task_id}`;
    const proposal = { branch: 'ralph/feature-search', base: 'main', head, feature: 'search', isNew };
    const commit = async () => ({ ...NO_WORK, tree_hash: `tree-${task_id}`, proposal });
    expect(await peek(queue)).toMatchObject({ id: task_id });
    await runSession(queue, [done], { effects: { ...effectsWith(gateResult(true)), commit } });
  };
  await push(1);
  await push(2);
  const pull = await take(queue);
  await recordOpened(queue, pull, { number: 12, url: '' });
  const opened = await take(queue);
  // GitHub has the text with both receipts, so no later look writes it again.
  for (const { described, session_id } of opened.parts) expect(described).toBe(session_id);
  return { queue, pull: opened, push };
}

const statuses = async (queue: Queue): Promise<string[]> =>
  Promise.all([1, 2, 3, 4].map(async (id) => (await show(queue, id)).status));

it('a task of a feature starts once those before it are on the branch, and waits again if one is put back', async () => {
  const { queue, pull, push } = await feature();
  expect(pull.parts.map(({ task_id }) => task_id)).toEqual([1, 2]);
  expect(await peek(queue)).toMatchObject({ id: 3 });
  await addTask(queue, { title: 'Five', feature: 'search', depends_on: [2] });
  expect(await show(queue, 5)).toMatchObject({ open_blockers: 0 });
  // No branch of another feature, although a task that was moved has left commits there.
  expect(await findBranch(queue, 4, 'se')).toEqual({ branch: null, isOwn: false, avoided: [pull.branch] });
  // Also if each task gets its own pull request by now.
  expect(await findBranch(queue, 5, null)).toMatchObject({ branch: pull.branch, isOwn: false });
  expect(await findBranch(queue, 4, null)).toMatchObject({ branch: null });
  expect((await why(queue, 4, () => true)).reasons).toMatchObject([{ kind: 'dependency', task: { id: 1 } }]);
  await settleReturned(queue, pull, { ...back('attempt'), task_id: 1 });
  expect((await why(queue, 3, () => true)).reasons).toMatchObject([{ kind: 'dependency', task: { id: 1 } }]);
  expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  await push(1);
  expect((await take(queue)).parts.map(({ task_id }) => task_id)).toEqual([2, 1]);
  await push(3);
  expect(
    await settleMerged(queue, await take(queue), { commit: 'c', late: [], dropped: [], verify: false }),
  ).toEqual({
    done: [2, 1, 3],
    next: null,
    asking: [],
  });
  expect(await show(queue, 1)).toMatchObject({ receipt: { commit: 'c', tree_hash: 'tree-1' } });
  expect(await statuses(queue)).toEqual(['done', 'done', 'done', 'pending']);
  expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
});

it('what the merge of a feature does not hold waits for the next pull request of the branch', async () => {
  const { queue, pull, push } = await feature();
  // The look is older than the push of task 3.
  await push(3);
  const merged = await settleMerged(queue, pull, { commit: 'c', late: [2], dropped: [], verify: false });
  expect(merged).toMatchObject({ done: [1], next: { number: null, branch: 'ralph/feature-search' } });
  expect(merged?.next?.parts.map(({ task_id, described }) => [task_id, described])).toEqual([
    [2, null],
    [3, null],
  ]);
  expect(await statuses(queue)).toEqual(['done', 'blocked', 'blocked', 'pending']);
  expect((await show(queue, 2)).blocked_by).toMatch(
    /^the pull request of branch ralph\/feature-search, which/,
  );
});

it('a closed pull request of a feature asks once, and the next push of its branch takes all its tasks along', async () => {
  const { queue, pull, push } = await feature();
  // Task 2 depends on task 1, so it could not go on first.
  expect(await settleClosed(queue, pull)).toEqual({ task_id: 1 });
  expect(await statuses(queue)).toEqual(['needs_input', 'blocked', 'pending', 'pending']);
  const [question] = (await show(queue, 1)).questions;
  expect(question?.question).toMatch(/It also holds #2\..*ralph skip 2 1\./);
  expect((await show(queue, 2)).blocked_by).toBe(
    'pull request #12, which was closed without a merge; what becomes of it: ralph why 1',
  );
  expect(await peek(queue)).toBeNull();
  expect(await findBranch(queue, 3, 'search')).toMatchObject({ branch: null, avoided: [pull.branch] });
  await answer(queue, 1, 'Do it with an index.');
  expect(await findBranch(queue, 1, 'search')).toMatchObject({ branch: pull.branch, isOwn: true });
  await push(1);
  const next = await take(queue);
  expect(next).toMatchObject({ number: null, parts: [{ task_id: 2, described: null }, { task_id: 1 }] });
  expect(next.id).not.toBe(pull.id);
  expect(await readEarlierNumbers(queue, next)).toEqual([12]);
  expect((await show(queue, 2)).blocked_by).toMatch(/^the pull request of branch/);
  expect(await peek(queue)).toMatchObject({ id: 3 });
  expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
});

it('the tasks of a closed pull request begin again if its branch was deleted, and none is done by the next one', async () => {
  const { queue, pull, push } = await feature();
  await settleClosed(queue, pull);
  await answer(queue, 1, 'Do it with an index.');
  await push(1, true);
  const next = await take(queue);
  expect(next.parts.map(({ task_id }) => task_id)).toEqual([1]);
  expect(await show(queue, 2)).toMatchObject({ status: 'pending', blocked_by: null });
  expect((await show(queue, 2)).comments.at(-1)?.body).toMatch(/its branch was deleted/);
  expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  await push(2);
  expect((await take(queue)).parts.map(({ task_id }) => task_id)).toEqual([1, 2]);
});

it('a task that begins a deleted branch anew adds nothing to the pull request that GitHub closed with it', async () => {
  const { queue, pull, push } = await feature();
  await push(3, true);
  const [old, begun] = await takePulls(queue, { isAll: true });
  expect(old).toMatchObject({ id: pull.id, number: 12, parts: [{ task_id: 1 }, { task_id: 2 }] });
  expect(begun).toMatchObject({ number: null, parts: [{ task_id: 3 }] });
});

it('a person is told that a feature is ready to be merged only once all its tasks are on the branch', async () => {
  const { queue, push } = await feature();
  await beginOutbox(queue);
  const told = async (): Promise<string[]> => {
    await collectNeeds(queue, [{ key: 'phone', on: NEED_KINDS }]);
    const messages = await takeNeeds(queue, ['phone'], { isLast: true });
    return messages.flatMap(({ needs }) => needs).map(({ text }) => text);
  };
  const settled = await take(queue);
  await settleReturned(queue, settled, { ...back('attempt'), task_id: 2 });
  await push(2);
  await recordOpened(queue, await take(queue), { number: 12, url: '' });
  expect(await told()).toEqual([]);
  await push(3);
  await recordOpened(queue, await take(queue), { number: 12, url: '' });
  expect(await told()).toEqual(['The feature search is ready to be merged: pull request #12']);
});
