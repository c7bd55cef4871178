// How long a run waits for its database: for as long as it has work to lose, or until it is told to end.
import type { StopSignals } from './input.ts';

export type Patience = {
  /** Whether to try once more. */
  goOn(): boolean;
  /** Meanwhile the first stop request, which lets sessions finish, ends no wait. */
  whileAtWork<T>(work: () => Promise<T>): Promise<T>;
  /** The run is over: nothing that it left unfinished may keep its process alive. */
  end(): void;
};

export function openPatience(stop: StopSignals): Patience {
  let atWork = 0;
  let isOver = false;
  return {
    goOn: () => !isOver && !stop.now.aborted && (atWork > 0 || !stop.after.aborted),
    whileAtWork: async (work) => {
      atWork += 1;
      try {
        return await work();
      } finally {
        atWork -= 1;
      }
    },
    end: () => {
      isOver = true;
    },
  };
}
