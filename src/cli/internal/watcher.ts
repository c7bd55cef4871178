// `ralph watcher`: when Ralph is killed, it ends the agents and gates that Ralph left running.
// Ralph itself starts it, so it is not among the commands.
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Work } from '../../host/processes/at-work.ts';
import { endTree, killCarriers } from '../../host/processes/reap.ts';
import type { Report } from '../../host/processes/watcher.ts';

/** Enough for an agent to write its last line; the person who killed Ralph wants it to end soon. */
const GRACE_MS = 2_000;

const LATE_LOOKS = 4;
const LATE_LOOK_MS = 250;

/** Meant for Ralph, which handles them; the pipe closes when Ralph has ended. */
const IGNORED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export async function watch(pipe: Readable & { isTTY?: boolean }): Promise<void> {
  // Typed by a person, it could not be ended by Ctrl-C.
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
  // On a busy machine a new process shows its environment late, and no other process looks for it.
  for (let look = 0; left.size > 0 && look < LATE_LOOKS; look++) {
    await pause(LATE_LOOK_MS);
    for (const { marker } of left.values()) await killCarriers(marker);
  }
}

/** Resolves when the pipe ends or breaks. */
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

/** Ignores a line that was cut off, and a pid that would mean every process. */
function parse(line: string): Report[] {
  try {
    const { kind, pid, marker }: Report = JSON.parse(line);
    const isSound =
      /^RALPH_[A-Z_]+=[\w-]+$/.test(marker) && (pid === null || (Number.isInteger(pid) && pid > 1));
    return isSound ? [{ kind, pid, marker }] : [];
  } catch {
    return [];
  }
}
