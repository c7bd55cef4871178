// Whoever asks from elsewhere that a run stops has the same as a person who presses Ctrl-C where it runs.
import type { StopTime } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import { findStopRequest } from '../queue/sessions/request-stop.ts';
import type { StopSignals } from './input.ts';

const LOOK_EVERY_MS = 1_000;

export type StopRequests = StopSignals & {
  /** From here on it is looked whether somebody has asked this run to stop. */
  listen(run_id: number): void;
  close(): Promise<void>;
};

export function watchStopRequests(
  queue: Queue,
  pressed: StopSignals,
  everyMs: number = LOOK_EVERY_MS,
): StopRequests {
  const [after, now] = [new AbortController(), new AbortController()];
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const stop = (when: StopTime): void => {
    // First of all, so that whoever hears that it stops can tell how.
    if (when === 'now') now.abort();
    after.abort();
  };
  // Where somebody has asked already, the first Ctrl-C is the second wish.
  pressed.after.addEventListener('abort', () => stop(after.signal.aborted ? 'now' : 'after'));
  pressed.now.addEventListener('abort', () => stop('now'));

  const look = async (run_id: number): Promise<void> => {
    try {
      const when = await findStopRequest(queue, run_id);
      if (when !== null) stop(when);
    } catch {
      // The next look may do better; whoever works with the queue will say what is wrong with it.
    }
    lookLater(run_id);
  };
  const lookLater = (run_id: number): void => {
    if (isOver || now.signal.aborted) return;
    timer = setTimeout(() => {
      looking = look(run_id);
    }, everyMs).unref();
  };

  return {
    after: after.signal,
    now: now.signal,
    listen: lookLater,
    close: async () => {
      isOver = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
