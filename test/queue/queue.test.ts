import { describe, expect, it } from 'vitest';
import { MachineFailed, NeedsPerson } from '../../src/domain/refusal.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { checkHealth } from '../../src/queue/queue.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { recover } from '../../src/queue/sessions/recover.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { approve, retry, skip } from '../../src/queue/tasks/decide.ts';
import { editTask } from '../../src/queue/tasks/edit.ts';
import { list } from '../../src/queue/tasks/list.ts';
import { show } from '../../src/queue/tasks/show.ts';
import { peek, status } from '../../src/queue/tasks/status.ts';
import { why } from '../../src/queue/tasks/why.ts';
import { eventsAfter } from '../../src/store/events.ts';
import {
  EXITED,
  effectsWith,
  gateResult,
  LIMITS,
  newSessionId,
  openTestQueue,
  runSession,
  TREES,
} from '../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'built it' };
const partial: Signal = { verb: 'partial', summary: 'half', remaining: 'the rest' };
const stuck: Signal = { verb: 'stuck', reason: 'no idea' };
const ask: Signal = { verb: 'ask', question: 'REST or gRPC?', blocking: true, options: ['REST', 'gRPC'] };

const statusOf = async (queue: Queue, id: number): Promise<string> => (await show(queue, id)).status;
const events = (queue: Queue, after = 0) => queue.store.read((db) => eventsAfter(db, after));

/** A claim by a run of its own; the first claim of a database is run 1, the second run 2. */
async function openClaim(queue: Queue): Promise<string> {
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const claimed = await claim(queue, { run_id, session_id: newSessionId() });
  return claimed?.session.id ?? 'nothing was claimed';
}

describe('the way of a task to done', () => {
  it('a task is claimed, reported and proven, leaves a receipt, and its dependents become ready', async () => {
    const queue = await openTestQueue();
    const first = await addTask(queue, { title: 'first' });
    const second = await addTask(queue, { title: 'second', depends_on: [first.id] });
    const { decision } = await runSession(queue, [done], { effects: effectsWith(gateResult(true)) });
    expect(decision.status).toBe('done');
    expect(await show(queue, first.id)).toMatchObject({
      status: 'done',
      completed: expect.any(Number),
      receipt: { summary: 'built it', commit: 'a1b2c3d', gates: [{ name: 'test', passed: true }] },
      sessions: [{ outcome: 'done' }],
    });
    expect((await peek(queue))?.id).toBe(second.id);
  });

  it('a task whose gate fails comes back with the failure, and fails after the third', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    for (const expected of ['pending', 'pending', 'failed']) {
      await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
      expect(await statusOf(queue, id)).toBe(expected);
    }
    const details = await show(queue, id);
    expect(details).toMatchObject({ attempts: 3, receipt: null });
    expect(details.comments.map(({ body }) => body).join()).toContain('retry.spec.ts:41');
  });

  it('a session that does not say done runs no gate and makes no commit', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const never = () => Promise.reject(new Error('must not be called'));
    await runSession(queue, [partial], { effects: { runGates: never, commit: never } });
  });

  it('every change writes an event in its own transaction', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    await runSession(queue, [done], { effects: effectsWith(gateResult(true)) });
    const kinds = (await events(queue)).map(({ kind }) => kind);
    expect(kinds).toEqual([
      'task.added',
      'run.started',
      'task.status',
      'session.started',
      'signal.recorded',
      'gate.finished',
      'task.status',
      'landing.ended',
      'session.ended',
    ]);
  });
});

describe('work that can be neither proven nor kept', () => {
  it('work that only a person can decide about parks its task with a question, uncharged', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const commit = () => Promise.reject(new NeedsPerson('vendor/x is a repository of its own.'));
    await runSession(queue, [ask, done], { effects: { ...effectsWith(gateResult(true)), commit } });
    expect(await show(queue, id)).toMatchObject({ status: 'needs_input', attempts: 0, receipt: null });
    const asked = (await status(queue)).questions.find(({ blocking }) => blocking);
    expect(asked).toMatchObject({ question: 'vendor/x is a repository of its own.' });
    await answer(queue, asked?.id ?? 0, 'Remove its .git.');
    expect(await statusOf(queue, id)).toBe('pending');
  });

  it('a partly done task is parked the same way, and keeps what remains', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const keepUnfinished = () => Promise.reject(new NeedsPerson('data.bin has 3 GB.'));
    await runSession(queue, [partial], { effects: { ...effectsWith(), saveUnfinished: keepUnfinished } });
    const { status: now, comments } = await show(queue, id);
    expect(now).toBe('needs_input');
    expect(comments.map(({ body }) => body).join()).toContain('Remaining: the rest');
  });

  it('a task goes back uncharged if the machine failed, and the next session learns why', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const runGates = () => Promise.reject(new MachineFailed('Git failed (write-tree: killed).'));
    await runSession(queue, [done], { effects: { ...effectsWith(), runGates } });
    const { comments, ...task } = await show(queue, id);
    expect(task).toMatchObject({ status: 'pending', attempts: 0, sessions: [{ outcome: 'interrupted' }] });
    expect(comments.map(({ body }) => body).join()).toContain('write-tree: killed');
  });
});

describe('questions', () => {
  it('questions park the task until the last blocking one is answered', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await runSession(queue, [ask, { ...ask, question: 'And the port?' }, partial]);
    expect(await statusOf(queue, id)).toBe('needs_input');
    const [first, second] = (await status(queue)).questions;
    await answer(queue, first?.id ?? 0, 'gRPC');
    expect(await statusOf(queue, id)).toBe('needs_input');
    await answer(queue, second?.id ?? 0, '8080');
    expect(await statusOf(queue, id)).toBe('pending');
    expect((await show(queue, id)).questions).toMatchObject([{ answer: 'gRPC' }, { answer: '8080' }]);
  });

  it('questions answered while the session runs do not park the task', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const session_id = await openClaim(queue);
    await record(queue, { session_id, call_id: null, signal: ask });
    await answer(queue, 1, 'REST');
    await record(queue, { session_id, call_id: null, signal: partial });
    await finish(queue, {
      session_id,
      run_id: 1,
      end: EXITED,
      usage: NO_USAGE,
      effects: effectsWith(),
      limits: LIMITS,
    });
    expect(await statusOf(queue, id)).toBe('pending');
  });

  it('questions that do not block leave the task in the queue', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await runSession(queue, [{ ...ask, blocking: false }, partial]);
    expect(await statusOf(queue, id)).toBe('pending');
    expect((await status(queue)).questions).toHaveLength(1);
  });
});

describe('questions of a session that said done', () => {
  it('questions of a session that said done block nothing afterwards, and stay open when the task is done', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await runSession(queue, [ask, done], { effects: effectsWith(gateResult(false)) });
    await runSession(queue, [partial]);
    expect(await statusOf(queue, id)).toBe('pending');
    expect((await status(queue)).questions).toHaveLength(1);
    await runSession(queue, [done]);
    expect((await status(queue)).questions).toMatchObject([{ id: 1, blocking: false }]);
  });

  it('answers leave a task blocked while something else blocks it', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await runSession(queue, [ask, { verb: 'blocked', on: 'vendor', kind: 'external' }, partial]);
    expect(await statusOf(queue, id)).toBe('needs_input');
    await answer(queue, 1, 'REST');
    expect(await show(queue, id)).toMatchObject({ status: 'blocked', blocked_by: 'vendor' });
  });
});

describe('a review', () => {
  it('a review runs after the gates, and sends the task back with its text', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const commit = () => Promise.reject(new Error('must not commit'));
    const review = async () => ({
      review: { approved: false as const, text: 'no test fails without it' },
      usage: { ...NO_USAGE, turns: 3, cost_usd: 0.5 },
    });
    const { decision } = await runSession(queue, [done], {
      effects: { ...effectsWith(gateResult(true)), commit, review },
    });
    expect(decision).toMatchObject({ outcome: 'changes_requested', attempts: 1 });
    expect(await show(queue, id)).toMatchObject({
      comments: [{ body: 'no test fails without it' }],
      sessions: [{ usage: { turns: 3, cost_usd: 0.5 } }],
    });
  });
});

describe('a blocked task', () => {
  it('a task blocked on another task becomes ready when that is done or skipped', async () => {
    const queue = await openTestQueue();
    const one = await addTask(queue, { title: 'one', priority: 'critical' });
    const upstream = await addTask(queue, { title: 'the api' });
    const other = await addTask(queue, { title: 'other', priority: 'critical' });
    await runSession(queue, [{ verb: 'blocked', on: `#${upstream.id}`, kind: 'upstream_task' }, partial]);
    await runSession(queue, [{ verb: 'blocked', on: 'the api', kind: 'upstream_task' }, stuck]);
    expect([await statusOf(queue, one.id), await statusOf(queue, other.id)]).toEqual(['blocked', 'blocked']);
    expect((await show(queue, one.id)).depends_on).toEqual([upstream.id]);
    await skip(queue, [upstream.id]);
    expect([await statusOf(queue, one.id), await statusOf(queue, other.id)]).toEqual(['pending', 'pending']);
    expect((await peek(queue))?.id).toBe(one.id);
  });

  it('a task blocked on something external waits for a person', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await runSession(queue, [{ verb: 'blocked', on: 'vendor', kind: 'external' }, partial]);
    expect(await show(queue, id)).toMatchObject({ status: 'blocked', blocked_by: 'vendor' });
    await retry(queue, [id]);
    expect(await show(queue, id)).toMatchObject({ status: 'pending', blocked_by: null });
    await runSession(queue, [{ verb: 'blocked', on: 'vendor', kind: 'external' }, stuck]);
    await retry(queue, [id]);
    expect(await show(queue, id)).toMatchObject({ status: 'pending', stuck_count: 1 });
  });

  it('a blocked task is queued again with the note of a person for its next session', async () => {
    const queue = await openTestQueue();
    const [one, two] = [await addTask(queue, { title: 'one' }), await addTask(queue, { title: 'two' })];
    const ids = [one.id, two.id];
    await skip(queue, ids);
    await expect(async () => retry(queue, ids, { note: 'half \ud800' })).rejects.toThrow(/The note is not/);
    expect(await statusOf(queue, one.id)).toBe('skipped');
    await retry(queue, ids, { note: ' Use the fixture.\n' });
    expect(await show(queue, two.id)).toMatchObject({
      status: 'pending',
      comments: [{ author: 'human', body: 'Use the fixture.' }],
    });
    expect((await events(queue)).filter(({ kind }) => kind === 'comment.added')).toHaveLength(2);
    await skip(queue, ids);
    await retry(queue, ids, { note: ' \n' });
    expect((await show(queue, one.id)).comments).toHaveLength(1);
    await expect(retry(queue, ids, { note: 'Once more.' })).rejects.toThrow(/it is queued/);
    expect((await show(queue, one.id)).comments).toHaveLength(1);
  });

  it('a task blocked on one that waits for it is left to a person, with the cycle named', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const later = await addTask(queue, { title: 'later', depends_on: [id] });
    await runSession(queue, [{ verb: 'blocked', on: String(later.id), kind: 'upstream_task' }, partial]);
    expect(await show(queue, id)).toMatchObject({ status: 'blocked', depends_on: [] });
    expect((await show(queue, id)).blocked_by).toContain('1 → 2 → 1');
  });
});

describe('other signals', () => {
  it('a suggested task becomes one draft of provenance agent, however often it is suggested', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const suggest: Signal = {
      verb: 'suggest',
      what: 'Cache the lookup',
      kind: 'new_task',
      why: 'it is slow',
    };
    await runSession(queue, [suggest, partial]);
    await runSession(queue, [suggest, { ...suggest, what: 'Drop it', kind: 'deprecate' }, done]);
    const drafts = await list(queue, { status: 'draft' });
    expect(drafts).toMatchObject([{ title: 'Cache the lookup', provenance: 'agent' }]);
    expect(drafts[0]?.description).toContain('it is slow');
  });

  it('a session can be settled whatever length and bytes its texts have', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const long = 'x'.repeat(199_990);
    await runSession(queue, [
      { verb: 'suggest', what: `${'x'.repeat(499)}😀`, kind: 'new_task', why: '' },
      partial,
    ]);
    await runSession(queue, [
      { verb: 'suggest', what: long, kind: 'new_task', why: long },
      { verb: 'partial', summary: long, remaining: long },
    ]);
    await runSession(queue, [done], {
      effects: effectsWith({ ...gateResult(false), tail: 'a\0b', duration_ms: 1.5 }),
    });
    const [comment] = (await show(queue, 1)).comments.slice(-1);
    expect(comment?.body).toContain('ab');
  });

  it('a learning is kept once, also from a session that got stuck', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const learned: Signal = { verb: 'learned', text: 'Ids are UUIDs.', kind: 'discovery', scope: 'feature' };
    await runSession(queue, [learned, stuck]);
    await runSession(queue, [{ ...learned, text: 'ids  are uuids' }, done]);
    const rows = await queue.store.read((db) => db.selectFrom('feature_comments').selectAll().execute());
    expect(rows).toMatchObject([{ body: 'Ids are UUIDs.', category: 'discovery', scope: 'project' }]);
  });

  it('the same call is recorded once, and a second closing verb says which it replaces', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const session_id = await openClaim(queue);
    const first = await record(queue, { session_id, call_id: 'toolu_1', signal: partial });
    const again = await record(queue, { session_id, call_id: 'toolu_1', signal: partial });
    expect(again).toMatchObject({ signal_id: first.signal_id, repeated: true });
    const second = await record(queue, { session_id, call_id: 'toolu_2', signal: done });
    expect(second).toMatchObject({ repeated: false, replaced: 'partial' });
  });
});

describe('zombies and crashes', () => {
  it('a session whose task was settled or claimed again can neither record nor finish nor commit', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const zombie = await openClaim(queue);
    await record(queue, { session_id: zombie, call_id: null, signal: done });
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const dead = { ...effectsWith(gateResult(false)) };
    await recover(queue, { run_id, lookUp: () => 'dead', trees: TREES, effects: dead, limits: LIMITS });
    const heir = await openClaim(queue);
    const mark = (await events(queue)).length;

    const commit = () => Promise.reject(new Error('must not commit'));
    const input = {
      session_id: zombie,
      run_id: 1,
      end: EXITED,
      usage: NO_USAGE,
      effects: { ...effectsWith(), commit },
      limits: LIMITS,
    };
    await expect(record(queue, { session_id: zombie, call_id: null, signal: done })).rejects.toThrow(
      /no longer holds task 1/,
    );
    await expect(finish(queue, input)).rejects.toThrow(/no longer holds task 1/);
    expect(await events(queue, mark)).toEqual([]);
    expect(await statusOf(queue, id)).toBe('in_progress');
    await record(queue, { session_id: heir, call_id: null, signal: done });
  });

  it('a run whose session was adopted by another run cannot finish it', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const session_id = await openClaim(queue);
    await record(queue, { session_id, call_id: null, signal: done });
    const heir = await startRun(queue, { pid: 1, process_started: null });
    const commit = () => Promise.reject(new Error('must not commit'));
    const runGates = async () => {
      const late = {
        session_id,
        run_id: 1,
        end: EXITED,
        usage: NO_USAGE,
        effects: { ...effectsWith(), commit },
        limits: LIMITS,
      };
      await expect(finish(queue, late)).rejects.toThrow(/was taken over by run 2/);
      return [gateResult(true)];
    };
    await recover(queue, {
      run_id: heir,
      lookUp: () => 'dead',
      trees: TREES,
      effects: { ...effectsWith(), runGates },
      limits: LIMITS,
    });
    expect(await statusOf(queue, id)).toBe('done');
  });

  it('recovery leaves the running sessions of its own run alone', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    await openClaim(queue);
    expect(
      await recover(queue, {
        run_id: 1,
        lookUp: () => 'alive',
        trees: TREES,
        effects: effectsWith(),
        limits: LIMITS,
      }),
    ).toEqual([]);
    expect(await statusOf(queue, 1)).toBe('in_progress');
  });

  it('a session that is being finished accepts no more signals', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    const session_id = await openClaim(queue);
    await record(queue, { session_id, call_id: null, signal: partial });
    const effects = effectsWith(gateResult(false));
    const [, late] = await Promise.allSettled([
      finish(queue, { session_id, run_id: 1, end: EXITED, usage: NO_USAGE, effects, limits: LIMITS }),
      record(queue, { session_id, call_id: null, signal: done }),
    ]);
    expect(late.status).toBe('rejected');
    expect(await show(queue, id)).toMatchObject({ status: 'pending', receipt: null });
  });

  it('a gate that throws during recovery leaves its session for the next recovery, and does not stop the others', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'breaks' });
    await addTask(queue, { title: 'works' });
    for (let count = 0; count < 2; count++)
      await record(queue, { session_id: await openClaim(queue), call_id: null, signal: done });
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const throwing = {
      ...effectsWith(),
      runGates: async ({ task }: { task: { id: number } }) =>
        task.id === 1 ? Promise.reject(new Error('no disk')) : [],
    };
    await expect(
      recover(queue, { run_id, lookUp: () => 'dead', trees: TREES, effects: throwing, limits: LIMITS }),
    ).rejects.toThrow('no disk');
    expect([await statusOf(queue, 1), await statusOf(queue, 2)]).toEqual(['in_progress', 'done']);
    await recover(queue, {
      run_id,
      lookUp: () => 'alive',
      trees: TREES,
      effects: effectsWith(),
      limits: LIMITS,
    });
    expect(await statusOf(queue, 1)).toBe('done');
  });

  it('a session that loses its task while its gates run does not commit', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const session_id = await openClaim(queue);
    await record(queue, { session_id, call_id: null, signal: done });
    const effects = {
      runGates: async () => {
        const run_id = await startRun(queue, { pid: 1, process_started: null });
        await recover(queue, {
          run_id,
          lookUp: () => 'dead',
          trees: TREES,
          effects: effectsWith(gateResult(false)),
          limits: LIMITS,
        });
        return [gateResult(true)];
      },
      commit: () => Promise.reject(new Error('must not commit')),
    };
    await expect(
      finish(queue, { session_id, run_id: 1, end: EXITED, usage: NO_USAGE, effects, limits: LIMITS }),
    ).rejects.toThrow(/no longer holds/);
  });

  it('what a killed run had landed is a question to the person if a reviewer rejects it now', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await record(queue, { session_id: await openClaim(queue), call_id: null, signal: done });
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const effects = {
      ...effectsWith(gateResult(true)),
      hasLanded: async () => true,
      review: async () => ({ review: { approved: false, text: 'It steals.' } as const, usage: NO_USAGE }),
      commit: () => Promise.reject(new Error('must not commit')),
    };
    await recover(queue, { run_id, lookUp: () => 'dead', trees: TREES, effects, limits: LIMITS });
    expect(await show(queue, id)).toMatchObject({
      status: 'needs_input',
      attempts: 0,
      questions: [{ question: expect.stringMatching(/on its branch.*rejects it: It steals\./) }],
    });
  });

  it('what a killed run had landed is a question to the person if its gates are red now, and is done after that without a change', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await record(queue, { session_id: await openClaim(queue), call_id: null, signal: done });
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const effects = {
      ...effectsWith(gateResult(false)),
      hasLanded: async () => true,
      commit: () => Promise.reject(new Error('must not commit')),
    };
    await recover(queue, { run_id, lookUp: () => 'dead', trees: TREES, effects, limits: LIMITS });
    const { status, attempts, questions, sessions } = await show(queue, id);
    expect([status, attempts, sessions[0]?.outcome]).toEqual(['needs_input', 0, 'interrupted']);
    expect(questions).toMatchObject([
      { question: expect.stringMatching(/on its branch.*retry\.spec\.ts:41/) },
    ]);
    expect((await events(queue)).map(({ kind }) => kind)).toContain('gate.finished');
    await answer(queue, questions[0]?.id ?? 0, 'The gate is repaired.');
    const session_id = await openClaim(queue);
    await record(queue, { session_id, call_id: null, signal: done });
    const unchanged = { ...effectsWith(gateResult(true)), isUnchanged: async () => true };
    await finish(queue, {
      session_id,
      run_id: 3,
      end: EXITED,
      usage: NO_USAGE,
      effects: unchanged,
      limits: LIMITS,
    });
    expect(await statusOf(queue, id)).toBe('done');
  });

  it('the sessions of a dead supervisor are settled from their recorded signals, gates included', async () => {
    const queue = await openTestQueue();
    const told = await addTask(queue, { title: 'told' });
    const silent = await addTask(queue, { title: 'silent' });
    await record(queue, { session_id: await openClaim(queue), call_id: null, signal: done });
    await openClaim(queue);
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const recovered = await recover(queue, {
      run_id,
      lookUp: () => 'dead',
      trees: TREES,
      effects: effectsWith(gateResult(true)),
      limits: LIMITS,
    });
    expect(recovered.map(({ decision }) => decision.outcome)).toEqual(['done', 'interrupted']);
    expect(await show(queue, told.id)).toMatchObject({
      status: 'done',
      receipt: { gates: [{ passed: true }] },
    });
    expect(await show(queue, silent.id)).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
    expect(
      await recover(queue, {
        run_id,
        lookUp: () => 'dead',
        trees: TREES,
        effects: effectsWith(),
        limits: LIMITS,
      }),
    ).toEqual([]);
  });
});

describe('decisions of people', () => {
  it('drafts are approved all or none', async () => {
    const queue = await openTestQueue();
    const draft = await addTask(queue, { title: 'draft', draft: true });
    const pending = await addTask(queue, { title: 'pending' });
    await expect(approve(queue, [draft.id, pending.id])).rejects.toThrow(
      'Cannot approve task 2: it is queued; ralph run works on it.',
    );
    expect(await statusOf(queue, draft.id)).toBe('draft');
    await approve(queue, [draft.id]);
    expect(await statusOf(queue, draft.id)).toBe('pending');
  });

  it('skipping a task frees its dependents, and retrying it blocks them again', async () => {
    const queue = await openTestQueue();
    const first = await addTask(queue, { title: 'first' });
    const second = await addTask(queue, { title: 'second', depends_on: [first.id] });
    await skip(queue, [first.id]);
    expect((await peek(queue))?.id).toBe(second.id);
    await retry(queue, [first.id]);
    expect((await why(queue, second.id, () => true)).reasons).toMatchObject([
      { kind: 'dependency', task: { id: first.id } },
    ]);
    expect((await checkHealth(queue)).miscounted).toEqual([]);
  });

  it('a task in progress cannot be skipped', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    await openClaim(queue);
    await expect(skip(queue, [id])).rejects.toThrow(/it is running; wait until its session has ended/);
  });

  it('a retried task gets all its attempts again', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task' });
    for (let time = 0; time < 3; time++) await runSession(queue, [stuck]);
    expect(await statusOf(queue, id)).toBe('failed');
    await retry(queue, [id]);
    expect(await show(queue, id)).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
  });
});

describe('dependencies', () => {
  it('dependencies that would close a cycle are refused with the cycle, and nothing changes', async () => {
    const queue = await openTestQueue();
    const ids: number[] = [];
    for (const title of ['a', 'b', 'c'])
      ids.push((await addTask(queue, { title, depends_on: ids.slice(-1) })).id);
    await expect(editTask(queue, 1, { depends_on: [3], title: 'changed' })).rejects.toThrow(
      'Task 1 cannot depend on task 3: that closes the cycle 1 → 3 → 2 → 1; remove one of these dependencies first.',
    );
    expect(await show(queue, 1)).toMatchObject({ title: 'a', depends_on: [] });
  });

  it.each([
    ['on itself', { depends_on: [1] }, 'Task 1 cannot depend on itself; name another task, or none.'],
    [
      'on nothing',
      { depends_on: [9] },
      'Task 1 cannot depend on task 9: there is no task 9; ralph list shows all tasks.',
    ],
    [
      'of an unknown feature',
      { feature: 'auth' },
      'Task 1 names the feature "auth", but there is no such feature; add it first: ralph feature add "auth".',
    ],
    ['with an empty title', { title: ' ' }, 'The title is empty; say in a few words what is to be done.'],
    ['with a NUL byte', { description: 'a\0' }, 'The description contains a NUL byte; remove it.'],
    ['with a parent that is itself', { parent: 1 }, 'Task 1 cannot be its own parent.'],
  ])('an edit with %s is refused and changes nothing', async (_, edit, message) => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'task' });
    const before = await events(queue);
    await expect(editTask(queue, 1, edit)).rejects.toThrow(message);
    expect(await events(queue)).toEqual(before);
  });

  it('a blocked task is unblocked when its dependencies are removed', async () => {
    const queue = await openTestQueue();
    const { id } = await addTask(queue, { title: 'task', priority: 'high' });
    await addTask(queue, { title: 'upstream' });
    await runSession(queue, [{ verb: 'blocked', on: '2', kind: 'upstream_task' }, partial]);
    expect(await statusOf(queue, id)).toBe('blocked');
    await editTask(queue, id, { depends_on: [] });
    expect(await statusOf(queue, id)).toBe('pending');
  });
});

it('a task whose time has not come is not claimed', async () => {
  const queue = await openTestQueue();
  const { id } = await addTask(queue, { title: 'task' });
  await runSession(queue, [], { end: { kind: 'infrastructure', fault: 'usage_limit', resume_at: 9_999 } });
  expect(await peek(queue)).toBeNull();
  expect((await status(queue)).due).toBe(9_999);
  expect((await why(queue, id, () => true)).reasons).toEqual([{ kind: 'time', not_before: 9_999 }]);
  expect((await peek({ ...queue, now: () => 10_000 }))?.id).toBe(id);
});

it('why names the tasks at the end of the dependency chain', async () => {
  const queue = await openTestQueue();
  for (const [title, depends_on] of [
    ['root', []],
    ['middle', [1]],
    ['leaf', [2]],
  ] as const)
    await addTask(queue, { title, depends_on });
  expect((await why(queue, 3, () => true)).reasons).toMatchObject([
    { kind: 'dependency', task: { id: 2 }, roots: [{ id: 1 }] },
  ]);
  expect(await why(queue, 1, () => true)).toMatchObject({ ready: true, reasons: [] });
});
