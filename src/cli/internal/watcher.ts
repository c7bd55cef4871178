// `ralph watcher`: ends what a killed Ralph had at work, and writes down what that had made. Started by Ralph itself, so not
// among the commands.
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Work } from '../../host/processes/at-work.ts';
import { endTree, killCarriers } from '../../host/processes/reap.ts';
import type { Report } from '../../host/processes/watcher.ts';
import { recordLeftWork } from '../../host/work/session-base.ts';

/** Enough for an agent to write its last line; whoever killed Ralph wants it to be over. */
const GRACE_MS = 2_000;

const LATE_LOOKS = 4;
const LATE_LOOK_MS = 250;

/** Meant for Ralph, which ends in its own way; the end of the pipe tells when it has. */
const IGNORED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export async function watch(pipe: Readable & { isTTY?: boolean }): Promise<void> {
  // A person who types it would not get rid of it by Ctrl-C.
  if (pipe.isTTY) return;
  for (const signal of IGNORED_SIGNALS) process.on(signal, () => {});
  const left = new Map<string, Work>();
  await readLines(pipe, (line) => {
    for (const { kind, ...work } of parse(line)) {
      if (kind === 'began') left.set(work.marker, work);
      else left.delete(work.marker);
    }
  });
  await Promise.all([...left.values()].map((work) => endTree({ ...work, graceMs: GRACE_MS })));
  // On a busy machine a process that was just started shows its environment late, and nobody else looks for it.
  for (let look = 0; left.size > 0 && look < LATE_LOOKS; look++) {
    await pause(LATE_LOOK_MS);
    for (const { marker } of left.values()) await killCarriers(marker);
  }
  // Nobody is there to be told; without it the next run takes all that changed for the task's.
  for (const { session } of left.values())
    if (session !== undefined) await recordLeftWork(session).catch(() => {});
}

/** Fulfilled at the end of the pipe; one that breaks has ended, too. */
function readLines(pipe: Readable, onLine: (line: string) => void): Promise<void> {
  return new Promise((over) => {
    let rest = '';
    pipe.setEncoding('utf8').on('data', (part: string) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    });
    for (const event of ['end', 'close', 'error']) pipe.once(event, () => over());
  });
}

/** Nothing of a line that was cut off; and no pid that would mean every process there is. */
function parse(line: string): Report[] {
  try {
    const { kind, pid, marker, session }: Report = JSON.parse(line);
    const isSound =
      /^RALPH_[A-Z_]+=[\w-]+$/.test(marker) && (pid === null || (Number.isInteger(pid) && pid > 1));
    return isSound ? [{ kind, pid, marker, session }] : [];
  } catch {
    return [];
  }
}
