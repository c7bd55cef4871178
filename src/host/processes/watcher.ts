// Starts a second process that outlives a killed Ralph, and ends what Ralph had at work. It notices the kill by the end of a pipe,
// which works on every platform: only this process has the other side open. It is a shell until then, because nearly every run ends
// in good order, and Node would take fifty times its memory all night.
import { observeWork, type Work } from './at-work.ts';
import { startWatcher, type WatcherProcess } from './spawn.ts';

type Watcher = {
  /** Resolves when the watcher has ended, or after a short timeout. */
  close(): Promise<void>;
};

/** One line of the pipe. */
export type Report = { kind: 'began' | 'over' } & Work;

/** The watcher only has to exit; on a slow machine no caller waits for that. */
const CLOSE_WITHIN_MS = 2_000;

/** Instead of a report: nothing is at work. */
export const NONE = 'none';

/** Keeps the reports until nothing is at work, and passes them on to the command in its arguments if Ralph is gone before. */
const KEEP_REPORTS = `trap '' INT TERM HUP QUIT
reports=
while IFS= read -r line; do
  case $line in
    ${NONE}) reports= ;;
    *) reports="$reports$line
" ;;
  esac
done
[ -z "$reports" ] || printf %s "$reports" | exec "$@"`;

export const watcherCommand = (ralph: readonly string[]): string[] => [
  '/bin/sh',
  ...['-c', KEEP_REPORTS, 'sh', ...ralph, 'watcher'],
];

/** Takes the command of Ralph itself. Starts the watcher with the first work, so other commands cost nothing. */
export function watchOver(ralph: readonly string[]): Watcher {
  let watcher: WatcherProcess | null = null;
  const atWork = new Set<string>();
  const report = (kind: Report['kind'], { pid, marker }: Work): void => {
    watcher ??= startWatcher(watcherCommand(ralph));
    const line: Report = { kind, pid, marker };
    watcher.stdin.write(`${JSON.stringify(line)}\n`);
  };
  const stop = observeWork({
    began: (work) => {
      atWork.add(work.marker);
      report('began', work);
    },
    over: (work) => {
      atWork.delete(work.marker);
      report('over', work);
      if (atWork.size === 0) watcher?.stdin.write(`${NONE}\n`);
    },
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
