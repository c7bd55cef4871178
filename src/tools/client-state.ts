import { Refusal } from '../domain/refusal.ts';
import type { ClosingVerb } from '../domain/sessions/signal.ts';
import type { Heartbeat } from '../queue/sessions/heartbeat.ts';

export type HeldTask = { session_id: string; run_id: number; task_id: number };

/** Whose work a connection does: of the session it was started for, or of the task that it took itself. */
export type ClientState = {
  readonly bound_session: string | null;
  held_task: HeldTask | null;
  /** The run that its own tasks belong to; one for all of them. */
  run_id: number | null;
  heartbeat: Heartbeat | null;
  /** What became of the last closing verb, for the client that stopped waiting for it and says it again. */
  last_closed: { call_id: string | null; task_id: number; verb: ClosingVerb; text: string } | null;
  /** The client is gone; nothing is taken for it any more. */
  isClosed: boolean;
  /** The call that is at work, or was last. */
  last_call: Promise<unknown>;
  /** How many calls are at work or wait for their turn. */
  open_calls: number;
};

export const newClientState = (bound_session: string | null): ClientState => ({
  bound_session,
  held_task: null,
  run_id: null,
  heartbeat: null,
  last_closed: null,
  isClosed: false,
  last_call: Promise.resolve(),
  open_calls: 0,
});

/** One call at a time, in the order they came. */
export function runExclusive<T>(client: ClientState, work: () => Promise<T>): Promise<T> {
  client.open_calls += 1;
  const result = client.last_call.then(work).finally(() => {
    client.open_calls -= 1;
  });
  client.last_call = result.catch(() => {});
  return result;
}

export function requireSession({ bound_session, held_task }: ClientState): string {
  const session_id = bound_session ?? held_task?.session_id;
  if (session_id === undefined)
    throw new Refusal('You hold no task, so nothing was changed. Call next_task first; it gives you one.');
  return session_id;
}
