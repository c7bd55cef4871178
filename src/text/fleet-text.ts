// `ralph fleet` on a terminal: one line a run, and below it one a session.
import { duration } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import type { FleetRun, Machine } from '../queue/sessions/fleet.ts';
import { type Look, row } from './terminal/row.ts';
import { oneLine } from './terminal/style.ts';

type Train = readonly { task_id: number; title: string }[];

export function fleetText(machines: readonly Machine[], train: Train, now: number, look: Look): string {
  if (machines.length === 0)
    return 'No machine is at work on this queue. Start one: ralph run, or ralph worker.';
  const lines = machines.flatMap(({ host, runs }) => [
    row({ head: { text: oneLine(host), format: 'bold' } }, look),
    ...runs.flatMap((run) => runLines(run, now, look)),
  ]);
  return [...lines, ...trainLines(train, look)].join('\n');
}

function runLines(run: FleetRun, now: number, look: Look): string[] {
  const { id, kind, pid, sessions } = run;
  const what = kind === 'supervisor' ? `run ${id}` : `client ${id}`;
  const head = row(
    {
      head: { text: `  ${what}  ${runState(run)}`, size: 34 },
      facts: [
        { text: leaseWords(run), size: 27 },
        { text: `pid ${pid}`, rank: 1 },
      ],
    },
    look,
  );
  return [
    head,
    ...sessions.map(({ task_id, title, phase, started: began }) =>
      row(
        {
          head: { text: `    ▶ #${task_id} ${oneLine(title)}`, size: 44 },
          facts: [{ text: phase ?? 'working', size: 8 }, { text: duration(Math.max(0, now - began)) }],
        },
        look,
      ),
    ),
  ];
}

/** A word for people, with what they asked of it. */
export function runState({ liveness, stopping, sessions, jobs }: FleetRun): string {
  if (liveness === 'dead') return 'died';
  if (liveness === 'silent') return 'does not answer';
  const load = jobs === null ? plural(sessions.length, 'session') : `${sessions.length} of ${jobs} at work`;
  if (stopping === 'now') return `stops, ${load}`;
  return stopping === 'after' ? `drains, ${load}` : load;
}

export function leaseWords({ lease_age_ms, lease_left_ms }: FleetRun): string {
  if (lease_age_ms === null || lease_left_ms === null) return 'no lease';
  const age = duration(Math.max(0, lease_age_ms));
  return lease_left_ms > 0 ? `heartbeat ${age} ago` : `no heartbeat for ${age}`;
}

const trainLines = (train: Train, look: Look): string[] =>
  train.length === 0
    ? []
    : [
        row({ head: { text: 'landing, one after another', format: 'bold' } }, look),
        ...train.map(({ task_id, title }, index) =>
          row({ head: { text: `  ${index + 1}. #${task_id} ${oneLine(title)}` } }, look),
        ),
      ];
