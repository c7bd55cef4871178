import { describe, expect, it } from 'vitest';
import type { AgentFault } from '../../src/domain/sessions/agent-failure.ts';
import type { AgentSource } from '../../src/domain/sessions/choose-agent.ts';
import { STATUSES, type Status } from '../../src/domain/tasks/task.ts';
import { localTime } from '../../src/domain/text/amounts.ts';
import type { Needs } from '../../src/queue/tasks/needs.ts';
import type { QueueStatus } from '../../src/queue/tasks/status.ts';
import { NOT_RUN } from '../../src/supervisor/agents/session-end.ts';
import type { Pause } from '../../src/supervisor/pauses.ts';
import { afterPause, afterSession, NO_SESSIONS, type RunTotals } from '../../src/supervisor/run-totals.ts';
import {
  nothingReady,
  redBaseline,
  type Stop,
  type StopInput,
  stagnated,
  stopAfter,
} from '../../src/supervisor/stop.ts';
import { stopParked } from '../../src/supervisor/stop-parked.ts';
import { gateResult } from '../support/queue.ts';

/** What no time mends. */
const UNUSABLE = { detail: null, until: null, isAnnounced: false, isAwaited: false } as const;

const NO_NEEDS: Needs = { failed: [], blocked: [], drafts: [], on_hold: [] };

function queueWith(counts: Partial<Record<Status, number>>, questions: number[] = []): QueueStatus {
  const zero = Object.fromEntries(STATUSES.map((name) => [name, 0])) as Record<Status, number>;
  const asked = questions.map((id) => ({
    id,
    task_id: 4,
    question: 'REST?',
    blocking: true,
    options: [],
    preferred: null,
    answer: null,
    asked: 0,
    answered: null,
    dismissed: null,
  }));
  return {
    title: null,
    description: null,
    counts: { ...zero, ...counts },
    ready: 0,
    next: null,
    due: null,
    questions: asked,
    flags: [],
    more_flags: 0,
    runs: [],
    pull_requests: [],
  };
}

describe('the last sentence of a run in which nothing is ready', () => {
  it('the last sentence names the question to answer', () => {
    expect(nothingReady(queueWith({ needs_input: 1, draft: 1 }, [7]), NO_NEEDS, '/p').sentence).toBe(
      'Nothing is ready: 1 open question, 1 draft. Answer Q7: ralph answer 7 "...".',
    );
    expect(nothingReady(queueWith({ needs_input: 2, pending: 2 }, [7, 9]), NO_NEEDS, '/p').sentence).toBe(
      'Nothing is ready: 2 open questions, 2 waiting. Answer Q7, Q9: ralph answer 7 "...".',
    );
  });

  it('the last sentence names the blocking flag to look at, and nothing that no task waits for', () => {
    const flag = {
      task_id: 1,
      category: 'bug',
      what: 'x',
      why: null,
      created: 0,
      closed: null,
      note: null,
    } as const;
    const queue = queueWith({ needs_input: 1 }, [7]);
    const status = {
      ...queue,
      questions: queue.questions.map((question) => ({ ...question, blocking: false })),
      flags: [
        { ...flag, id: 3, severity: 'blocking' as const },
        { ...flag, id: 4, severity: 'info' as const },
      ],
    };
    expect(nothingReady(status, NO_NEEDS, '/p')).toMatchObject({
      exit_code: 10,
      sentence:
        'Nothing is ready: 1 blocking flag. Look at F3: ralph flag list. Then close it: ralph flag close 3 --note "...".',
    });
  });

  it('the last sentence names the failed task, its gate and the log', () => {
    const gate = { ...gateResult(false), log: '/p/.git/ralph/sessions/s/gates/test.log' };
    const failed = {
      id: 3,
      title: 'x',
      tries: 3,
      gate,
      last_comment: null,
      holds_back: [],
    };
    expect(
      nothingReady(queueWith({ failed: 1, pending: 1 }), { ...NO_NEEDS, failed: [failed] }, '/p').sentence,
    ).toBe(
      'Nothing is ready: 1 failed, 1 waiting. Look at #3, which failed at gate test (2 failed, first retry.spec.ts:41; full output: .git/ralph/sessions/s/gates/test.log). Then queue it again: ralph retry 3.',
    );
    const stuck = { ...failed, gate: null };
    expect(nothingReady(queueWith({ failed: 1 }), { ...NO_NEEDS, failed: [stuck] }, '/p').sentence).toBe(
      'Nothing is ready: 1 failed. Look at #3: ralph show 3. Then queue it again: ralph retry 3.',
    );
  });

  it('the last sentence names the blocked task, the drafts that wait for approval, or the planned feature', () => {
    const blocked = [{ id: 5, title: 'x', blocked_by: 'the vendor' }];
    expect(nothingReady(queueWith({ blocked: 1 }), { ...NO_NEEDS, blocked }, '/p').sentence).toBe(
      'Nothing is ready: 1 blocked. See what holds it back: ralph why 5.',
    );
    const drafts = [
      { id: 8, title: 'x' },
      { id: 9, title: 'y' },
    ];
    expect(nothingReady(queueWith({ draft: 2 }), { ...NO_NEEDS, drafts }, '/p').sentence).toBe(
      'Nothing is ready: 2 drafts. Approve the drafts that you want: ralph approve 8 9.',
    );
    const on_hold = [{ feature: 'auth', status: 'planned' as const }];
    expect(nothingReady(queueWith({ pending: 2 }), { ...NO_NEEDS, on_hold }, '/p').sentence).toBe(
      'Nothing is ready: 2 waiting. The feature auth is planned, so its tasks wait; to start them: ralph feature edit "auth" --status active',
    );
  });
});

describe('a run that ends before its queue', () => {
  const stopWith = (change: Partial<StopInput & RunTotals>): Stop | null => {
    const { limits, stop, config, ...totals } = change;
    const { signal } = new AbortController();
    return stopAfter(
      {
        limits: limits ?? { sessions: Number.POSITIVE_INFINITY, budget_usd: 8 },
        stop: stop ?? { after: signal, now: signal },
        config: config ?? { agent: 'claude' },
      },
      { ...NO_SESSIONS, sessions: 1, ...totals },
    );
  };
  it('a run without a login says which login to make', () => {
    const stopOf = (agent: string): Stop | null =>
      stopParked([{ ...UNUSABLE, agent, fault: 'not_logged_in' }], { agent: 'claude' });
    expect(stopOf('claude')).toMatchObject({ reason: 'unusable', exit_code: 13, resume_at: null });
    expect(stopOf('claude')?.sentence).toBe(
      'The agent "claude" is not logged in. Start claude once and type /login, or set ANTHROPIC_API_KEY, then run ralph run again.',
    );
    expect(stopOf('mine')?.sentence).toBe(
      'The agent "mine" is not logged in. Log in with it once, then run ralph run again.',
    );
  });

  it('the sentence about a missing program names the place where the agent was chosen', () => {
    const stopAt = (from: AgentSource, fault: AgentFault = 'cannot_start'): string | undefined =>
      stopParked(
        [
          {
            ...UNUSABLE,
            agent: 'codex',
            fault,
            detail: 'ENOENT',
            place: { from, task_id: 7, discipline: 'data' },
          },
        ],
        { agent: 'claude' },
      )?.sentence;
    expect(stopAt('task')).toBe(
      'The agent "codex" cannot be started (ENOENT); install it with npm install -g @openai/codex, or choose another with ralph edit 7 --agent NAME.',
    );
    expect(stopAt('discipline')).toMatch(/or choose another with ralph discipline edit data --agent NAME\.$/);
    expect(stopAt('project')).toMatch(/or choose another in \.ralph\/config\.yaml\.$/);
    expect(stopAt('ladder')).toMatch(/or choose another in the ladder of \.ralph\/config\.yaml\.$/);
    expect(stopAt('command line')).toMatch(/or choose another with --agent\.$/);
    expect(stopAt('task', 'no_agent')).toBe(
      'There is no agent "codex"; define it below agents: in .ralph/config.yaml, or choose another with ralph edit 7 --agent NAME.',
    );
  });

  it('a reviewer that a person has to mend stops the run, and stands whatever a session beside it does', () => {
    const result = { task_id: 1, isReview: true, cost_usd: 0, failure: null, pause: null };
    const reviewed = afterSession(NO_SESSIONS, { ...result, end: { ...NOT_RUN, fault: 'agent_failed' } });
    const after = afterSession(reviewed, { ...result, isReview: false, end: NOT_RUN });
    for (const totals of [reviewed, after])
      expect(stopWith(totals)).toMatchObject({ reason: 'unusable', exit_code: 13 });
    expect(stopWith(afterPause(after, 0))).toBeNull();
  });

  it('a session whose agent could not be started is none of those that a person asked for', () => {
    const pause = { ...UNUSABLE, fault: 'cannot_start', agent: 'codex' } as const;
    const limits = { sessions: 1, budget_usd: 8 };
    const endedBy = (fault: AgentFault | null, met: Pause | null): RunTotals =>
      afterSession(NO_SESSIONS, {
        task_id: 1,
        isReview: false,
        cost_usd: 0,
        failure: null,
        pause: met,
        end: { ...NOT_RUN, fault },
      });
    expect(stopWith({ ...endedBy('cannot_start', pause), limits })).toBeNull();
    // No session would follow, so what the last one met is what the person is told.
    const failed = { ...pause, fault: 'agent_failed', until: 0 } as const;
    expect(stopWith({ ...endedBy('agent_failed', failed), limits })).toMatchObject({ exit_code: 13 });
    expect(stopWith({ ...endedBy(null, null), pauses: new Map([['codex', pause]]), limits })).toMatchObject({
      reason: 'enough',
    });
  });

  it('a run that ends early says which session to look at, how to go on, and how to pay for more', () => {
    expect(stagnated([2, 4], null).sentence).toBe(
      'Every ready task was tried, and its sessions changed nothing: #2, #4. Look at what the last one said: ralph show 4.',
    );
    expect(stagnated([2], 2).sentence).toBe(
      'Task 2 is to repair the gates, but its sessions changed nothing, and no other task was started. Look at what it said: ralph show 2.',
    );
    expect(stopWith({ limits: { sessions: 1, budget_usd: 8 } })?.sentence).toBe(
      '1 session, as asked for. Go on with the rest: ralph run.',
    );
    expect(stopWith({ sessions: 3, cost_usd: 8 })?.sentence).toBe(
      'The budget of $8.00 is spent. Allow the same amount again: ralph run --budget 8.',
    );
  });

  it('the sentence of a run that has to wait names the cause, and the time only if it is known', () => {
    const parkedBy = (pause: Pause): Stop | null =>
      stopParked([{ ...pause, agent: 'claude' }], { agent: 'claude' });
    const announced = { isAnnounced: true, isAwaited: false };
    const limit = { fault: 'usage_limit', detail: null, until: 60_000, ...announced } as const;
    expect(parkedBy(limit)).toMatchObject({
      exit_code: 12,
      resume_at: 60_000,
      sentence: expect.stringContaining(`Run ralph run again after ${localTime(60_000)}`),
    });
    const awaited = { isAnnounced: false, isAwaited: true };
    const outage = { fault: 'unreachable', detail: 'ENOTFOUND', until: 5_000, ...awaited } as const;
    expect(parkedBy(outage)).toMatchObject({ reason: 'outage', resume_at: 5_000 });
    // A time that nobody announced is no promise.
    expect(parkedBy({ ...limit, ...awaited })).toMatchObject({
      reason: 'limit',
      sentence:
        'The agent "claude" has reached its usage limit; run ralph run again later. No task was charged; ralph run --wait waits for as long as it takes.',
    });
    // Nothing could be paid for afterwards.
    const spent = { sessions: 3, cost_usd: 8 };
    expect(stopWith({ last_pause: outage, ...spent })).toMatchObject({
      reason: 'limit',
      resume_at: null,
    });
    const over = parkedBy({ ...outage, until: null });
    expect(over).toMatchObject({ exit_code: 12, resume_at: null });
    expect(over?.sentence).toBe(
      'The API cannot be reached (it says: ENOTFOUND); check the network, then run ralph run again. No task was charged; ralph run --wait waits for as long as it takes.',
    );
    // No session would follow.
    const once = { sessions: 1, budget_usd: 8 };
    expect(stopWith({ last_pause: outage, limits: once })).toMatchObject({
      exit_code: 12,
      resume_at: null,
    });
  });

  it('a run says what failed on the machine, once it has failed twice in a row', () => {
    const failure = 'Git failed (write-tree: no space left on device).';
    expect(stopWith({ failures: 1, failure })).toBeNull();
    expect(stopWith({ failures: 2, failure })).toMatchObject({
      exit_code: 1,
      sentence: `Sessions could not be started or checked 2 times in a row, and no task was charged: ${failure}`,
    });
  });
});

it('a red gate beside one that was accepted is accepted by a command that names both', () => {
  const { sentence } = redBaseline(['test'], ['types'], 'checkout');
  expect(sentence).toContain('--accept-red types --accept-red test');
});
