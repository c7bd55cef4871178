// A stop request from another process has the same effect as Ctrl-C in the run's terminal.
import type { StopTime } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import { findStopRequest } from '../queue/sessions/request-stop.ts';
import type { StopSignals } from './input.ts';

const LOOK_EVERY_MS = 1_000;

type StopRequests = StopSignals & {
  /** Starts to poll for stop requests to this run. Once its lease is over, nothing of it may go on. */
  listen(run_id: number, over?: AbortSignal): void;
  close(): Promise<void>;
};

export function watchStopRequests(
  queue: Queue,
  terminal: StopSignals,
  everyMs: number = LOOK_EVERY_MS,
): StopRequests {
  const [after, now] = [new AbortController(), new AbortController()];
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const stop = (when: StopTime): void => {
    // `now` first: listeners of `after` read it to know how the run stops.
    if (when === 'now') now.abort();
    after.abort();
  };
  // After a stop request from elsewhere, the first Ctrl-C counts as the second.
  onAbort(terminal.after, () => stop(after.signal.aborted ? 'now' : 'after'));
  onAbort(terminal.now, () => stop('now'));

  const look = async (run_id: number): Promise<void> => {
    try {
      const when = await findStopRequest(queue, run_id);
      if (when !== null) stop(when);
    } catch {
      // The next poll may succeed; the steps of the run report what is wrong with the queue.
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
    listen: (run_id, over) => {
      if (over !== undefined) onAbort(over, () => stop('now'));
      lookLater(run_id);
    },
    close: async () => {
      isOver = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Also if it was aborted before: a worker may be told to end while its run is still being opened. */
function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}
