import { describe, expect, it } from 'vitest';
import type { SupervisorEvent } from '../../../src/supervisor/input.ts';
import { train, withPlace } from '../../../src/text/run/at-work.ts';
import { beginState, nextState, type RunState } from '../../../src/text/run/run-state.ts';
import { claimOf, finished, NOW } from '../../support/run-state.ts';

const BEGUN = beginState({
  command: 'run',
  project: 'webshop',
  started: NOW,
  budget_usd: 8,
  max_attempts: 3,
  jobs: 3,
});

/** Each event comes a second after the one before. */
const play = (events: readonly SupervisorEvent[], from: RunState = BEGUN): RunState =>
  events.reduce((state, event, index) => nextState(state, event, NOW + index * 1_000), from);

const started = (id: number, slot: number | null = id): SupervisorEvent => ({
  kind: 'started',
  claim: claimOf(id),
  slot,
  model: 'haiku',
  max_turns: 50,
});

const phase = (
  id: number,
  name: 'working' | 'proving' | 'landing',
  behind: readonly number[] = [],
): SupervisorEvent => ({ kind: 'phase', claim: claimOf(id), phase: name, behind });

const gate = (id: number | null, name: string, ended: boolean): SupervisorEvent => ({
  kind: 'gate',
  phase: 'after',
  claim: id === null ? null : claimOf(id),
  step: { name, number: 1, of: 2, ended: ended ? { passed: true, duration_ms: 5 } : null },
});

const over = (id: number): SupervisorEvent => ({ ...finished({}), claim: claimOf(id) });

const notLanded = (id: number, kind: 'conflict' | 'red'): SupervisorEvent => ({
  kind: 'not_landed',
  claim: claimOf(id),
  problem: { kind, paths: [], others: [] },
});

describe('the sessions at work', () => {
  it('an event changes only the session that it is about', () => {
    const state = play([
      started(1),
      started(2),
      { kind: 'observed', claim: claimOf(2), observation: { kind: 'turn', action: 'Read x', answer: 'a' } },
      gate(1, 'lint', false),
    ]);
    expect(state.sessions.get('s1')).toMatchObject({
      id: 1,
      slot: 1,
      turn: 0,
      gate: { step: { name: 'lint' } },
    });
    expect(state.sessions.get('s2')).toMatchObject({
      slot: 2,
      turn: 1,
      gate: null,
      now: { action: 'Read x' },
    });
    const [left] = play([gate(1, 'lint', true), over(2)], state).sessions.values();
    expect(left).toMatchObject({ id: 1, gate: null });
  });

  it('the train has the sessions that land, in the order in which they began to', () => {
    const state = play([
      started(1),
      started(2),
      started(3),
      phase(3, 'landing'),
      phase(1, 'proving'),
      phase(1, 'landing', [3]),
      phase(2, 'landing', [3, 1]),
    ]);
    expect(train(state.sessions).map(({ id }) => id)).toEqual([3, 1, 2]);
    const moved = play([over(3), phase(2, 'landing', [1]), phase(1, 'landing')], state);
    expect(train(moved.sessions).map(({ id, behind }) => [id, behind])).toEqual([
      [1, []],
      [2, [1]],
    ]);
  });

  it('a session that is sent back to work leaves the train', () => {
    const state = play([started(1), phase(1, 'landing'), gate(1, 'test', false), phase(1, 'working')]);
    expect(train(state.sessions)).toEqual([]);
    expect(state.sessions.get('s1')).toMatchObject({ phase: 'working', gate: null });
  });

  it('an event about a session of a dead run starts no session', () => {
    expect(play([phase(9, 'landing'), gate(9, 'test', false)]).sessions.size).toBe(0);
  });

  it('a gate before a session is forgotten when the session starts or ends, also if it was killed', () => {
    const before = play([gate(null, 'lint', false), gate(1, 'lint', false), gate(2, 'lint', false)]);
    expect([...before.gates_before.keys()]).toEqual(['', 's1', 's2']);
    const next = play([started(1), over(2)], before);
    expect(next.gates_before.size).toBe(0);
    expect(next.sessions.get('s1')?.gate).toBeNull();
  });

  it('a pause holds while others still work, and ends with the next start', () => {
    const waiting: SupervisorEvent = {
      kind: 'waiting',
      until: NOW + 9_000,
      fault: 'usage_limit',
      agent: null,
    };
    const state = play([started(1), started(2), waiting, gate(1, 'lint', false)]);
    expect(state.waiting_until).toBe(NOW + 9_000);
    expect(play([started(3)], state).waiting_until).toBeNull();
  });

  it('an event for scripts has the slot and the phase of its session, also when it has just ended', () => {
    const { sessions } = play([started(1), phase(1, 'landing'), started(2, null)]);
    const at_work = { slot: 1, phase: 'landing' };
    expect(withPlace(gate(1, 'lint', false), sessions, sessions)).toMatchObject({ phase: 'after', at_work });
    expect(withPlace(over(1), sessions, new Map())).toMatchObject({ kind: 'finished', at_work });
    expect(withPlace(over(2), sessions, new Map())).not.toHaveProperty('at_work');
    expect(withPlace({ kind: 'without_git' }, sessions, sessions)).toEqual({ kind: 'without_git' });
  });
});

describe('what a run knows besides its sessions', () => {
  it('a slot is listed while it is made ready', () => {
    const slot = (ended: boolean): SupervisorEvent => ({
      kind: 'slot',
      slot: 2,
      step: 'setup',
      ended,
      detail: 'npm ci',
    });
    const making = play([slot(false)]);
    expect([...making.slots]).toEqual([[2, { step: 'setup', detail: 'npm ci', at: NOW }]]);
    expect(play([slot(true)], making).slots.size).toBe(0);
  });

  it('commits wait for the checkout until it has followed', () => {
    const wait = { branch: 'main', commits: 3, reason: 'Commit or stash src/a.ts, then ralph land.' };
    const waiting = play([{ kind: 'checkout_waits', ...wait }]);
    expect(waiting.checkout).toEqual(wait);
    const followed = { kind: 'checkout_followed', branch: 'main', commit: 'abc', commits: 3 } as const;
    expect(play([followed], waiting).checkout).toBeNull();
  });

  it('a gate before the first session is no gate run of a task, as in the report', () => {
    const before: SupervisorEvent = {
      kind: 'gate',
      phase: 'before',
      claim: null,
      step: { name: 'test', number: 1, of: 1, ended: { passed: true, duration_ms: 5 } },
    };
    expect(play([before, started(1), gate(1, 'test', true)]).parallel.gate_runs).toBe(1);
  });

  it('the time of all sessions is compared with the time in which any of them worked', () => {
    const { parallel } = play([
      gate(null, 'lint', true),
      started(1),
      started(2),
      gate(1, 'test', true),
      over(1),
      notLanded(2, 'conflict'),
      notLanded(2, 'red'),
      over(2),
      // Nobody works here for a second.
      started(3),
      over(3),
    ]);
    expect(parallel).toEqual({
      peak: 2,
      sessions_ms: 3_000 + 5_000 + 1_000,
      wall_ms: 6_000 + 1_000,
      busy_since: null,
      gate_runs: 2,
      landed: 3,
      conflicts: 1,
      red_merges: 1,
    });
  });
});
