import { type ListedRun, latestRuns } from '../../store/sessions/run-list.ts';
import type { Queue } from '../queue.ts';

export type { ListedRun };

const MOST = 200;

/** The latest runs, newest first, and whether there are earlier ones. `before`: only those that began before this one. */
export const runList = (
  queue: Queue,
  limit: number,
  before: number | null = null,
): Promise<{ runs: ListedRun[]; more: boolean }> =>
  queue.store.read(async (db) => {
    const shown = Math.min(limit, MOST);
    const runs = await latestRuns(db, shown + 1, before);
    return { runs: runs.slice(0, shown), more: runs.length > shown };
  });
