// A run in the middle of its work, for the tests of what people see of it.

import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import {
  type Question,
  STATUSES,
  type Status,
  TASK_DEFAULTS,
  type Task,
} from '../../src/domain/tasks/task.ts';
import type { Claim } from '../../src/queue/tasks/claim.ts';
import { NOT_RUN } from '../../src/supervisor/agents/session-end.ts';
import type { SupervisorEvent } from '../../src/supervisor/input.ts';
import type { AtWork } from '../../src/text/run/at-work.ts';
import { beginState, type RunState } from '../../src/text/run/run-state.ts';
import { gateResult } from './queue.ts';

export const NOW = 1_700_000_000_000;

export const ESCAPES = 'Red \x1b[31malert\x1b[0m\x1b[2J\r\nnext\x9b1A \u202egnirts';

export const counts = (given: Partial<Record<Status, number>>): Record<Status, number> => ({
  ...(Object.fromEntries(STATUSES.map((name) => [name, 0])) as Record<Status, number>),
  ...given,
});

export const question = (id: number, text: string): Question => ({
  id,
  task_id: 4,
  question: text,
  blocking: true,
  options: [],
  preferred: null,
  answer: null,
  asked: NOW - 660_000,
  answered: null,
  dismissed: null,
});

export const atWork = (change: Partial<AtWork> = {}): AtWork => ({
  id: 5,
  title: 'Supervisor loop',
  slot: null,
  phase: 'working',
  behind: [],
  gate: null,
  tries: { number: 1, most: 3 },
  model: 'haiku',
  since: NOW - 161_000,
  turn: 31,
  max_turns: 50,
  answer: 'msg_31',
  now: { doing: 'working', action: 'Edit src/supervisor.ts', at: NOW - 6_000 },
  ...change,
});

/** One session, which has the id of the claim in `finished`. */
export const oneAtWork = (change: Partial<AtWork> = {}): Pick<RunState, 'sessions'> => ({
  sessions: new Map([['s', atWork(change)]]),
});

export function runState(change: Partial<RunState> = {}): RunState {
  const known = {
    command: 'run' as const,
    project: 'webshop',
    started: NOW - 1_473_000,
    budget_usd: 8,
    max_attempts: 3,
    jobs: 1,
  };
  return {
    ...beginState(known),
    ...oneAtWork(),
    tallies: new Map([
      [5, { id: 5, title: 'Supervisor loop', tries: 1, duration_ms: 1, cost_usd: 0.34, proof: null }],
    ]),
    total: { sessions: 5, cost_usd: 2.16, input_tokens: 812_000, output_tokens: 44_000 },
    queue: {
      counts: counts({ done: 2, in_progress: 1, pending: 7, failed: 1, needs_input: 1 }),
      ready: 3,
      questions: [question(2, 'REST or gRPC for the agent API?')],
    },
    ...change,
  };
}

type Finished = Extract<SupervisorEvent, { kind: 'finished' }>;

const task = (title: string): Task => ({
  ...TASK_DEFAULTS,
  id: 1,
  title,
  status: 'in_progress',
  depends_on: [],
  blocked_by: null,
  attempts: 0,
  stuck_count: 0,
  open_blockers: 0,
  token: 1,
  not_before: null,
  created: 0,
  updated: 0,
  completed: null,
  enriched_at: null,
  archived: null,
});

export const finished = (
  decision: Partial<Finished['decision']>,
  change: Partial<Finished> = {},
  title = 'Create queue schema',
): Finished => ({
  kind: 'finished',
  claim: {
    task: task(title),
    tries: 0,
    session: { id: 's', run_id: 7, task_id: 1, token: 1, base_commit: null, root: null, started: 0 },
    passed_over: [],
  },
  decision: {
    status: 'done',
    outcome: 'done',
    inferred: false,
    attempts: 0,
    stuck_count: 0,
    blocked_by: null,
    add_dependencies: [],
    not_before: null,
    comment: null,
    hindrance: null,
    ...decision,
  },
  end: { ...NOT_RUN, exit_code: 0, usage: { ...NO_USAGE, cost_usd: 0.21 } },
  duration_ms: 192_000,
  gates: [gateResult(true), gateResult(true)],
  commit: 'a1b2c3d4e5f6',
  tree_hash: null,
  questions: [],
  flags: [],
  ...change,
});

/** A session with the id `s5` for the task 5, for example. */
export function claimOf(id: number, title = `Task ${id}`): Claim {
  const { claim } = finished({}, {}, title);
  return {
    ...claim,
    task: { ...claim.task, id },
    session: { ...claim.session, id: `s${id}`, task_id: id },
  };
}
