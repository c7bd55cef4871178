// The state of a run as one value: each event produces the next state.
import type { AgentFault } from '../../domain/sessions/agent-failure.ts';
import { failedRequired, type GateResult } from '../../domain/sessions/gate.ts';
import { isTry } from '../../domain/tasks/tries.ts';
import type { QueueStatus } from '../../queue/tasks/status.ts';
import type { SlotStep, SupervisorEvent } from '../../supervisor/input.ts';
import {
  enterPhase,
  observeSession,
  type RunningGate,
  type Sessions,
  startSession,
  updateSession,
  withoutSession,
} from './at-work.ts';
import {
  gateRun,
  NO_PARALLEL_WORK,
  notLanded,
  type ParallelWork,
  sessionBegun,
  sessionOver,
} from './parallel-work.ts';

export type RunState = {
  /** What the person typed. */
  command: 'run' | 'worker';
  project: string;
  started: number;
  budget_usd: number;
  max_attempts: number;
  /** How many sessions may work at once. */
  jobs: number;
  run_id: number | null;
  sessions: Sessions;
  /** The gate that runs before a session, by the session's id; under '' the one before the first session. */
  gates_before: ReadonlyMap<string, GateBefore>;
  /** What Ralph does to get a slot ready, by the slot's number. */
  slots: ReadonlyMap<number, { step: SlotStep; detail: string | null; at: number }>;
  /** What landed and waits for the person's checkout; null if nothing does. */
  checkout: { branch: string; commits: number; reason: string } | null;
  parallel: ParallelWork;
  /** Of this run only, by task, in the order of their first session. */
  tallies: ReadonlyMap<number, Tally>;
  total: { sessions: number; cost_usd: number; input_tokens: number; output_tokens: number };
  waiting_until: number | null;
  /** The fault that has to pass; null if tasks have a start time in the future. */
  waiting_for: AgentFault | null;
  waiting_agent: string | null;
  /** By agent: until when it starts nothing, and why. Some may have passed. */
  parked: ReadonlyMap<
    string,
    Pick<Extract<SupervisorEvent, { kind: 'parked' }>, 'until' | 'fault' | 'sentence'>
  >;
  stopping: 'no' | 'after' | 'now';
  queue: Pick<QueueStatus, 'counts' | 'ready' | 'questions'> | null;
};

/** `task`: null before the first session. */
type GateBefore = RunningGate & { task: { id: number; title: string } | null };

export type Tally = {
  id: number;
  title: string;
  tries: number;
  duration_ms: number;
  cost_usd: number;
  /** Null until it is done. */
  proof: { passed: number; gates: number; commit: string | null } | null;
};

export const beginState = (
  initial: Pick<RunState, 'command' | 'project' | 'started' | 'budget_usd' | 'max_attempts' | 'jobs'>,
): RunState => ({
  ...initial,
  run_id: null,
  sessions: new Map(),
  gates_before: new Map(),
  slots: new Map(),
  checkout: null,
  parallel: NO_PARALLEL_WORK,
  tallies: new Map(),
  total: { sessions: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 },
  waiting_until: null,
  waiting_for: null,
  waiting_agent: null,
  parked: new Map(),
  stopping: 'no',
  queue: null,
});

/** Whether lines have to say which session they are about. */
export const isParallel = ({ jobs, parallel }: RunState): boolean => jobs > 1 || parallel.peak > 1;

export function nextState(state: RunState, event: SupervisorEvent, at: number): RunState {
  switch (event.kind) {
    case 'recovered':
    case 'left_elsewhere':
    case 'refused':
    case 'without_git':
    case 'without_gates':
    case 'without_cost':
    case 'sandbox':
    case 'fleet':
    case 'one_at_a_time':
    case 'feature_committed':
    case 'red_baseline':
    case 'red_before':
    case 'not_believed':
    case 'put_back':
    case 'excludes_restored':
    case 'state_restored':
    case 'rules_changed':
    case 'gate_changed_files':
    case 'unsigned':
    case 'flaky_gate':
    case 'definitions_changed':
    case 'definitions_held':
    case 'definitions_accepted':
    case 'trusted_meanwhile':
    case 'pull':
    case 'pulls_unseen':
      return state;
    case 'gate':
      return gateStep(state, event, at);
    case 'parked': {
      const { agent, until, fault, sentence } = event;
      return { ...state, parked: new Map(state.parked).set(agent, { until, fault, sentence }) };
    }
    case 'waiting':
      return {
        ...state,
        gates_before: new Map(),
        waiting_until: event.until,
        waiting_for: event.fault,
        waiting_agent: event.agent,
      };
    case 'started': {
      const { id, run_id } = event.claim.session;
      const sessions = new Map(state.sessions).set(id, startSession(event, state.max_attempts, at));
      return {
        ...state,
        run_id,
        // A killed gate sends no end event.
        gates_before: without(without(state.gates_before, id), ''),
        waiting_until: null,
        sessions,
        parallel: sessionBegun(state.parallel, sessions, at),
      };
    }
    case 'observed': {
      const sessions = updateSession(state.sessions, event, (one) => observeSession(one, event, at));
      return { ...state, sessions };
    }
    case 'reviewing':
    case 'checking': {
      const now = { doing: 'checking', action: '', at } as const;
      const sessions = updateSession(state.sessions, event, (session) => ({ ...session, now }));
      return { ...state, ...waitingOver(state), sessions };
    }
    case 'phase':
      return { ...state, sessions: enterPhase(state.sessions, event, at) };
    case 'not_landed':
      return { ...state, parallel: notLanded(state.parallel, event) };
    case 'checkout_followed':
      return { ...state, checkout: null };
    case 'checkout_waits': {
      const { branch, commits, reason } = event;
      return { ...state, checkout: { branch, commits, reason } };
    }
    case 'slot': {
      const { slot, step, ended, detail } = event;
      const slots = ended ? without(state.slots, slot) : new Map(state.slots).set(slot, { step, detail, at });
      return { ...state, slots };
    }
    case 'finished':
      return finished(state, event, at);
  }
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

/** With several sessions at work, one that goes on does not mean that the others need not wait any more. */
const waitingOver = ({ sessions, waiting_until }: RunState): Pick<RunState, 'waiting_until'> => ({
  waiting_until: sessions.size > 1 ? waiting_until : null,
});

function gateStep(
  state: RunState,
  { phase, claim, step }: Extract<SupervisorEvent, { kind: 'gate' }>,
  at: number,
): RunState {
  const { parallel, sessions } = state;
  const gate = step.ended === null ? { phase, step, at } : null;
  const next = {
    ...state,
    ...waitingOver(state),
    // Without the gates of the baseline, as in the report.
    parallel: step.ended === null || phase === 'before' ? parallel : gateRun(parallel),
  };
  if (claim !== null && sessions.has(claim.session.id))
    return { ...next, sessions: updateSession(sessions, { claim }, (session) => ({ ...session, gate })) };
  const key = claim?.session.id ?? '';
  const task = claim === null ? null : { id: claim.task.id, title: claim.task.title };
  const gates_before =
    gate === null
      ? without(state.gates_before, key)
      : new Map(state.gates_before).set(key, { ...gate, task });
  return { ...next, gates_before };
}

function finished(
  state: RunState,
  event: Extract<SupervisorEvent, { kind: 'finished' }>,
  at: number,
): RunState {
  const { claim, decision, end, duration_ms, gates, commit } = event;
  const { id, title } = claim.task;
  const before = state.tallies.get(id) ?? { duration_ms: 0, cost_usd: 0 };
  const tally: Tally = {
    id,
    title,
    tries: claim.tries + (isTry(decision) ? 1 : 0),
    duration_ms: before.duration_ms + duration_ms,
    cost_usd: before.cost_usd + end.usage.cost_usd,
    proof: decision.status === 'done' ? { ...countPassed(gates), commit } : null,
  };
  const { total } = state;
  return {
    ...state,
    ...waitingOver(state),
    sessions: withoutSession(state.sessions, claim.session.id),
    gates_before: without(state.gates_before, claim.session.id),
    parallel: sessionOver(state.parallel, state.sessions, event, at),
    tallies: new Map(state.tallies).set(id, tally),
    total: {
      sessions: total.sessions + 1,
      cost_usd: total.cost_usd + end.usage.cost_usd,
      input_tokens: total.input_tokens + end.usage.input_tokens,
      output_tokens: total.output_tokens + end.usage.output_tokens,
    },
  };
}

const countPassed = (gates: readonly GateResult[]): { passed: number; gates: number } => ({
  passed: gates.filter(({ passed }) => passed).length,
  gates: gates.length,
});

/** The gate that refuted a done. */
export const refutingGate = (gates: readonly GateResult[]): GateResult | null =>
  failedRequired(gates)[0] ?? null;
