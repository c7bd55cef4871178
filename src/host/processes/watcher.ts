// Starts a second process that outlives a killed Ralph, and ends what Ralph had at work. It notices the kill by the end of a pipe,
// which works on every platform: only this process has the other side open.
import { observeWork, type Work } from './at-work.ts';
import { startWatcher, type WatcherProcess } from './spawn.ts';

export type Watcher = {
  /** Resolves when the watcher has ended, or after a short timeout. */
  close(): Promise<void>;
};

/** One line of the pipe. */
export type Report = { kind: 'began' | 'over' } & Work;

/** The watcher only has to exit; on a slow machine it does so without anyone waiting. */
const CLOSE_WITHIN_MS = 2_000;

/** Takes the command of Ralph itself. Starts the watcher with the first work, so other commands cost nothing. */
export function watchOver([command = '', ...args]: readonly string[]): Watcher {
  let watcher: WatcherProcess | null = null;
  const report = (kind: Report['kind'], { pid, marker }: Work): void => {
    watcher ??= startWatcher(command, [...args, 'watcher']);
    const line: Report = { kind, pid, marker };
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

/** The timer must keep this process alive: it still has to report how its run ended. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let clock: NodeJS.Timeout | undefined;
  const late = new Promise<void>((over) => {
    clock = setTimeout(over, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(clock);
}
