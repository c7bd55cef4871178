// The state of a run as one value: each event produces the next state.
import type { AgentFault } from '../../domain/sessions/agent-failure.ts';
import { failedRequired, type GateResult, type GateStep } from '../../domain/sessions/gate.ts';
import { isTry, nextTry } from '../../domain/tasks/tries.ts';
import type { QueueStatus } from '../../queue/tasks/status.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';

export type RunState = {
  project: string;
  started: number;
  budget_usd: number;
  max_attempts: number;
  run_id: number | null;
  current: Current | null;
  /** The gate that is running, before a session or to prove one. */
  gate: { phase: 'before' | 'after'; step: GateStep; at: number } | null;
  /** Of this run only, by task, in the order of their first session. */
  tallies: ReadonlyMap<number, Tally>;
  total: { sessions: number; cost_usd: number; input_tokens: number; output_tokens: number };
  waiting_until: number | null;
  /** The fault that has to pass; null if tasks have a start time in the future. */
  waiting_for: AgentFault | null;
  stopping: 'no' | 'after' | 'now';
  queue: Pick<QueueStatus, 'counts' | 'ready' | 'questions'> | null;
};

export type Current = {
  id: number;
  title: string;
  /** The number of this try, and of the last one allowed. */
  tries: { number: number; most: number };
  model: string;
  since: number;
  turn: number;
  max_turns: number;
  answer: string | null;
  now: { doing: 'starting' | 'working' | 'checking'; action: string; at: number };
};

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
  initial: Pick<RunState, 'project' | 'started' | 'budget_usd' | 'max_attempts'>,
): RunState => ({
  ...initial,
  run_id: null,
  current: null,
  gate: null,
  tallies: new Map(),
  total: { sessions: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 },
  waiting_until: null,
  waiting_for: null,
  stopping: 'no',
  queue: null,
});

export function nextState(state: RunState, event: SupervisorEvent, at: number): RunState {
  switch (event.kind) {
    case 'recovered':
    case 'left_elsewhere':
    case 'refused':
    case 'without_git':
    case 'without_gates':
    case 'set_aside':
    case 'feature_committed':
    case 'written_elsewhere':
    case 'red_baseline':
    case 'red_before':
    case 'not_believed':
    case 'put_back':
    case 'excludes_restored':
    case 'state_restored':
    case 'rules_changed':
    case 'back_on_branch':
    case 'gate_changed_files':
    case 'unsigned':
      return state;
    case 'gate': {
      const { phase, step } = event;
      return { ...state, waiting_until: null, gate: step.ended === null ? { phase, step, at } : null };
    }
    case 'waiting':
      return { ...state, gate: null, waiting_until: event.until, waiting_for: event.fault };
    case 'started': {
      const { task, session } = event.claim;
      const now = { doing: 'starting', action: '', at } as const;
      const { id, title } = task;
      const { model, max_turns } = event;
      return {
        ...state,
        run_id: session.run_id,
        // A killed gate sends no end event.
        gate: null,
        waiting_until: null,
        current: {
          id,
          title,
          tries: nextTry(task, event.claim.tries, state.max_attempts),
          model,
          since: at,
          turn: 0,
          max_turns,
          answer: null,
          now,
        },
      };
    }
    case 'observed':
      return { ...state, current: state.current && observed(state.current, event.observation, at) };
    case 'reviewing':
    case 'checking': {
      const now = { doing: 'checking', action: '', at } as const;
      return { ...state, waiting_until: null, current: state.current && { ...state.current, now } };
    }
    case 'finished':
      return finished(state, event);
  }
}

type Observation = Extract<SupervisorEvent, { kind: 'observed' }>['observation'];

function observed(current: Current, observation: Observation, at: number): Current {
  if (observation.kind !== 'turn') return current;
  const { action, answer } = observation;
  return {
    ...current,
    turn: current.turn + (answer !== null && answer === current.answer ? 0 : 1),
    answer,
    // Text between two actions does not hide the last action.
    now: action === null ? current.now : { doing: 'working', action, at },
  };
}

function finished(state: RunState, event: Extract<SupervisorEvent, { kind: 'finished' }>): RunState {
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
    current: null,
    gate: null,
    waiting_until: null,
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
