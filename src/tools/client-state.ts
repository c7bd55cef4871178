import { Refusal } from '../domain/refusal.ts';
import type { ClosingVerb } from '../domain/sessions/signal.ts';
import type { Heartbeat } from '../queue/sessions/heartbeat.ts';

export type HeldTask = { session_id: string; run_id: number; task_id: number };

/** Whose work a connection does: of the session it was started for, or of the task that it took itself. */
export type ClientState = {
  readonly bound: string | null;
  held: HeldTask | null;
  /** The run that its own tasks belong to; one for all of them. */
  run_id: number | null;
  heartbeat: Heartbeat | null;
  /** What became of the last closing verb, for the client that stopped waiting for it and says it again. */
  finished: { call_id: string | null; task_id: number; verb: ClosingVerb; text: string } | null;
  /** The client is gone; nothing is taken for it any more. */
  isClosed: boolean;
  /** The call that is at work, or was last. */
  turn: Promise<unknown>;
  /** How many calls are at work or wait for their turn. */
  busy: number;
};

export const newClientState = (bound: string | null): ClientState => ({
  bound,
  held: null,
  run_id: null,
  heartbeat: null,
  finished: null,
  isClosed: false,
  turn: Promise.resolve(),
  busy: 0,
});

/** One call at a time, in the order they came. */
export function runExclusive<T>(desk: ClientState, work: () => Promise<T>): Promise<T> {
  desk.busy += 1;
  const result = desk.turn.then(work).finally(() => {
    desk.busy -= 1;
  });
  desk.turn = result.catch(() => {});
  return result;
}

export function sessionOf({ bound, held }: ClientState): string {
  const session_id = bound ?? held?.session_id;
  if (session_id === undefined)
    throw new Refusal('You hold no task, so nothing was changed. Call next_task first; it gives you one.');
  return session_id;
}
