import { Refusal } from '../domain/refusal.ts';
import type { ClosingVerb } from '../domain/sessions/signal.ts';
import type { Heartbeat } from '../queue/sessions/heartbeat.ts';
import type { WorkPlace } from './tool.ts';

export type HeldTask = {
  session_id: string;
  run_id: number;
  task_id: number;
  place: WorkPlace;
  /** The folder with its files; null until they are ready. */
  root: string | null;
};

/** What Ralph remembers of one client: the session it was started for, or the task that it took itself. */
export type ClientState = {
  readonly bound_session: string | null;
  held_task: HeldTask | null;
  /** The run of all tasks that the client takes. */
  run_id: number | null;
  heartbeat: Heartbeat | null;
  /** The result of the last closing verb, for a client that stopped waiting and sends the verb again. */
  last_closed: { call_id: string | null; task_id: number; verb: ClosingVerb; text: string } | null;
  /** The client has left, so it can take no task. */
  isClosed: boolean;
  /** The newest call; the next one runs after it. */
  last_call: Promise<unknown>;
  /** How many calls run or wait for their turn. */
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

/** Runs one call at a time, in the order of their arrival. */
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
