import { type Summary, statusLine } from '../../domain/tasks/summary.ts';
import { storeLine } from '../../host/status-line.ts';
import { summarise } from '../../queue/tasks/summary.ts';
import { type ClientContext, readSharedQueue, withExistingQueue } from './read-project.ts';

/** An empty text hides the line: there is nothing to say outside of a project. */
export async function readStatusLine(
  context: ClientContext,
): Promise<{ summary: Summary | null; text: string }> {
  const shared = readSharedQueue(context);
  if (shared !== null) return sharedLine(shared.last, context.now());
  const found = await withExistingQueue(context, async (queue, before) => ({
    ...before,
    summary: await summarise(queue),
  }));
  if (found === null) return { summary: null, text: '' };
  const { summary, stateDir, stamp } = found;
  const text = statusLine(summary);
  // After the database was closed, which may change its files.
  await storeLine(stateDir, stamp, text, context.now()).catch(() => {});
  return { summary, text };
}

const MINUTE_MS = 60_000;
/** Runs, the dashboard and commands refresh it; older than this it may mislead. */
const OLD_MS = 5 * MINUTE_MS;

/** A queue on PostgreSQL is not asked: the counts are those that a run, the dashboard or a command of this machine last read. */
function sharedLine(
  last: { at: number; summary: Summary } | null,
  now: number,
): { summary: Summary | null; text: string } {
  if (last === null) return { summary: null, text: 'ralph: shared queue, see ralph status' };
  const age = now - last.at;
  const old = age < OLD_MS ? '' : ` · ${Math.round(age / MINUTE_MS)} min ago`;
  return { summary: last.summary, text: `${statusLine(last.summary)}${old}` };
}
