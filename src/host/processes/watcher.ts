// A second process that outlives a Ralph which was killed, and ends what that had at work. It is told by a pipe, whose end it
// sees on every platform: nobody but this process has the other side open.
import { observeWork, type Work } from './at-work.ts';
import { startWatcher, type WatcherProcess } from './spawn.ts';

export type Watching = {
  /** Fulfilled when the watcher has ended, or is not worth waiting for. */
  close(): Promise<void>;
};

/** One line of the pipe. */
export type Report = { kind: 'began' | 'over' } & Work;

/** It has nothing to do but to end; on a machine where that takes longer, it ends by itself all the same. */
const CLOSE_WITHIN_MS = 2_000;

/** `ralph`: how to start Ralph itself. Started with the first work, so a command that starts nothing pays nothing. */
export function watchOver([command = '', ...args]: readonly string[]): Watching {
  let watcher: WatcherProcess | null = null;
  const report = (kind: Report['kind'], { pid, marker, session }: Work): void => {
    watcher ??= startWatcher(command, [...args, 'watcher']);
    const line: Report = { kind, pid, marker, session };
    watcher.stdin.write(`${JSON.stringify(line)}\n`);
  };
  const stop = observeWork({
    began: (work) => report('began', work),
    over: (work) => report('over', work),
  });
  return {
    close: async () => {
      stop();
      if (watcher === null) return;
      watcher.stdin.end();
      await within(CLOSE_WITHIN_MS, watcher.exited);
    },
  };
}

/** Its clock keeps this process alive: nothing else does, and it has not said yet how its run ended. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let clock: NodeJS.Timeout | undefined;
  const late = new Promise<void>((over) => {
    clock = setTimeout(over, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(clock);
}
