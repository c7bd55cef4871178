import { type Summary, statusLine } from '../../domain/tasks/summary.ts';
import { storeLine } from '../../host/status-line.ts';
import { summarise } from '../../queue/tasks/summary.ts';
import { type ClientContext, withExistingQueue } from './read-project.ts';

/** An empty text hides the line: there is nothing to say outside of a project. */
export async function readStatusLine(
  context: ClientContext,
): Promise<{ summary: Summary | null; text: string }> {
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
