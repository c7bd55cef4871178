// A store that waits while its server does not answer: an outage of a minute must cost no work. Only what certainly did not
// happen is asked again, so nothing happens twice.
import { setTimeout as pause } from 'node:timers/promises';
import { Unreachable } from '../domain/refusal.ts';
import type { Store } from './open.ts';

export type Patience = {
  /** Whether to try once more after so many milliseconds. */
  goOn(waitedMs: number): boolean;
  /** What to say in the end; by default, what the store says. */
  refuse?(error: Unreachable): Error;
  pauseMs?: number;
};

const PAUSE_MS = 500;

/** Writes aside do not wait: a heartbeat that comes late says nothing. */
export function withPatience(store: Store, patience: Patience): Store {
  const { goOn, refuse = (error) => error, pauseMs = PAUSE_MS } = patience;
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (const began = performance.now(); ; await pause(pauseMs)) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        if (!goOn(performance.now() - began)) throw refuse(error);
      }
    }
  };
  return {
    ...store,
    read: (work) => patiently(() => store.read(work)),
    write: (work) => patiently(() => store.write(work)),
    copyTo: (path) => patiently(() => store.copyTo(path)),
    via: (channel) => withPatience(store.via(channel), patience),
  };
}
