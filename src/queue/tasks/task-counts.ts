import { STATUS_SYMBOLS, type StatusWord } from '../../domain/tasks/status-word.ts';
import { countSearched, type TaskSearch } from '../../store/tasks/task-page.ts';
import type { Queue } from '../queue.ts';

export type TaskCounts = Readonly<Record<StatusWord, number>>;

/** How many of those that match are in each status, whichever statuses are looked for. */
export function taskCounts(queue: Queue, search: TaskSearch): Promise<TaskCounts> {
  const at = queue.now();
  return queue.store.read(async (db) => {
    const found = await countSearched(db, search, at);
    const count = (word: StatusWord): number => found.get(word) ?? 0;
    const words = Object.keys(STATUS_SYMBOLS) as StatusWord[];
    const counts = Object.fromEntries(words.map((word) => [word, count(word)])) as TaskCounts;
    return { ...counts, pending: count('ready') + count('waiting') };
  });
}
