// The clock of the server, as this process knows it: all machines of a fleet compare times by that one.

export type ServerClock = {
  now(): number;
  /** `time`: what the server read between these two moments of the machine's clock. */
  observe(time: number, asked: number, answered: number): void;
};

/**
 * Changes no more than an answer demands. So the time of a machine whose clock is right stays as it is, and an answer that was long
 * under way changes nothing.
 */
export function createServerClock(machineNow: () => number = Date.now): ServerClock {
  let aheadMs = 0;
  return {
    now: () => machineNow() + aheadMs,
    observe: (time, asked, answered) => {
      // The server cuts its time to whole milliseconds, and so does the machine.
      aheadMs = Math.min(Math.max(aheadMs, time - answered - 1), time - asked + 1);
    },
  };
}
