// Sentences about a run, for a terminal, a file or a page.

import { stateName } from '../tasks/status.ts';
import type { Status } from '../tasks/task.ts';
import { duration, moneyIfKnown, tokens } from './amounts.ts';

export function stopReason(
  { stop_reason }: { stop_reason: string | null },
  isRunning: boolean,
): readonly Span[] {
  if (isRunning) return ['It is still running.'];
  if (stop_reason === null) return ['It died; the next ', command('ralph run'), ' resumes it.'];
  const sentence = STOPS.get(stop_reason);
  return sentence === undefined ? ['Stopped: ', foreignText(stop_reason), '.'] : [sentence];
}

const STOPS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    finished: 'Stopped: every task was done or skipped.',
    waiting: 'Stopped: no task was ready, and the rest needed a person.',
    gave_up: 'Stopped: an agent said that nothing can go on.',
    red_gates: 'Stopped: a gate failed before any session began.',
    stagnated: 'Stopped: the sessions made no more progress.',
    limit: 'Stopped: a budget or a limit of the agent was reached.',
    outage: 'Stopped: an outage of the agent or its API lasted too long.',
    unusable: 'Stopped: the agent could not be used.',
    stopped: 'Stopped by a person.',
    enough: 'Stopped after the requested number of sessions.',
    lost: 'It no longer answered, and another run took over its sessions.',
    died: 'It died, and a later run resumed it.',
    'client left': 'The client left.',
  }),
);

/** As people read it: "gate failed". */
export const outcomeName = (outcome: string): string => outcome.replaceAll('_', ' ');

/** The outcome of a task in a run, and its present status if that differs. */
export function outcomeText({ outcome, status }: { outcome: string | null; status: Status }): string {
  if (outcome === null) return 'running';
  return outcome === status ? outcome : `${outcomeName(outcome)}, now ${stateName(status)}`;
}

type Totals = {
  tasks: number;
  done: number;
  sessions: number;
  duration_ms: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  gates: { passed: number; total: number };
};

type Planning = Pick<Totals, 'sessions' | 'cost_usd'>;

/** The totals of a run as pairs of label and amount. */
export const totalsText = (
  all: Totals,
  planning: Planning,
): readonly (readonly [about: string, amount: string])[] => [
  ['tasks done', `${all.done} of ${all.tasks}`],
  ['sessions', String(all.sessions)],
  ['time of work', duration(all.duration_ms)],
  ['cost', moneyIfKnown(all.cost_usd)],
  ...(planning.sessions === 0 ? [] : [['cost of planning', moneyIfKnown(planning.cost_usd)] as const]),
  ['tokens', `${tokens(all.input_tokens)} in, ${tokens(all.output_tokens)} out`],
  ['gates passed', `${all.gates.passed} of ${all.gates.total}`],
];

/** What working on several tasks at once brought: the time of all sessions against the time that passed meanwhile. */
export type ParallelTotals = {
  peak: number;
  sessions_ms: number;
  wall_ms: number;
  gate_runs: number;
  landed: number;
  conflicts: number;
};

/** As pairs of label and amount; none where the sessions came one after another. */
export function parallelText(
  totals: ParallelTotals | null | undefined,
): readonly (readonly [string, string])[] {
  if (totals == null || totals.peak < 2) return [];
  const { peak, sessions_ms, wall_ms, gate_runs, landed, conflicts } = totals;
  return [
    ['sessions at once', `up to ${peak}`],
    ['wall time', duration(wall_ms)],
    ['sum of session times', duration(sessions_ms)],
    ...(wall_ms > 0 ? [['speedup', `${(sessions_ms / wall_ms).toFixed(1)} times`] as const] : []),
    ...(landed > 0 ? [['gate runs per landed task', (gate_runs / landed).toFixed(1)] as const] : []),
    ['conflicts', String(conflicts)],
  ];
}

/** A plain string is Ralph's own text. `said`: foreign text, which must be escaped. `command`: for the person to type. */
export type Span = string | { as: 'said' | 'strong' | 'command'; text: string };

export const foreignText = (text: string): Span => ({ as: 'said', text });
export const strong = (text: string): Span => ({ as: 'strong', text });
export const command = (text: string): Span => ({ as: 'command', text });
