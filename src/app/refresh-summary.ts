// Keeps the counts of a shared queue for the status line of a client, which has no time to ask the database.
import { isSummaryFresh, storeSummary } from '../host/shared-summary.ts';
import type { Queue } from '../queue/queue.ts';
import { summarise } from '../queue/tasks/summary.ts';

/** A failure is no matter: the line only gets older. */
export async function refreshSummary({ queue, stateDir }: { queue: Queue; stateDir: string }): Promise<void> {
  if (!queue.store.isShared || isSummaryFresh(stateDir, Date.now())) return;
  await summarise(queue)
    .then((summary) => storeSummary(stateDir, summary, Date.now()))
    .catch(() => {});
}
