// The intervals of a task's life (waiting, running, being checked, asking), each with its cause.
import type { Channel, RalphEvent } from '../event.ts';
import type { GateResult } from '../sessions/gate.ts';
import type { Session } from '../sessions/session.ts';
import type { Cause } from './status.ts';
import type { Status, Task } from './task.ts';

export type Interval = {
  state: Exclude<Status, 'in_progress'> | 'ran' | 'checked';
  from: number;
  /** Null while the interval lasts. */
  to: number | null;
  /** Null for the first interval, like its channel. */
  cause: Cause | null;
  via: Channel | null;
  session_id: string | null;
};

/** The events of one task, oldest first, without `task.added`. `isCut`: older events were left out. */
export type TaskEvents = { events: readonly RalphEvent[]; isCut: boolean };

type Attempt = { session: Pick<Session, 'id' | 'closing' | 'ended'>; gates: readonly GateResult[] };
type Change = { from: Status; to: Status; cause: Cause };
type Period = Omit<Interval, 'state' | 'to'> & { status: Status };

/** Begins when the task was added, or with the oldest event if older ones were left out. */
export function taskTimeline(
  { status, created }: Pick<Task, 'status' | 'created'>,
  { events, isCut }: TaskEvents,
  attempts: readonly Attempt[],
): Interval[] {
  const changes = events.filter(({ kind }) => kind === 'task.status');
  const first = changes[0]?.data as Change | undefined;
  const periods: Period[] = [
    {
      status: first?.from ?? status,
      from: (isCut ? events[0]?.at : null) ?? created,
      cause: null,
      via: null,
      session_id: null,
    },
    ...changes.map(({ at, data, via, session_id }) => {
      const { to, cause } = data as Change;
      return { status: to, from: at, cause, via, session_id };
    }),
  ];
  return periods.flatMap((period, index) =>
    splitIntervals(period, periods[index + 1]?.from ?? null, attempts),
  );
}

function splitIntervals(
  { status, ...period }: Period,
  to: number | null,
  attempts: readonly Attempt[],
): readonly Interval[] {
  if (status !== 'in_progress') return [{ ...period, state: status, to }];
  const attempt = attempts.find(({ session }) => session.id === period.session_id);
  const closing = attempt?.session.closing ?? null;
  const isChecked = attempt !== undefined && (attempt.gates.length > 0 || attempt.session.ended === null);
  if (closing === null || !isChecked) return [{ ...period, state: 'ran', to }];
  return [
    { ...period, state: 'ran', to: closing },
    { ...period, state: 'checked', from: closing, to },
  ];
}
