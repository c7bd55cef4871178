import { isOpenBlocker } from '../../domain/tasks/flag.ts';
import type { Summary } from '../../domain/tasks/summary.ts';
import { countReady } from '../../store/tasks/claim.ts';
import { openFlags } from '../../store/tasks/flags.ts';
import { openQuestions } from '../../store/tasks/questions.ts';
import { countByStatus, findTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

/** The first flags are those that block; more of them than this are shown as this many. */
const MAX_FLAGS = 100;

/** For a line that is shown all the time: a few counts, and no text of an agent. */
export const summarise = (queue: Queue): Promise<Summary> => {
  const now = queue.now();
  return queue.store.read(async (db) => {
    const counts = await countByStatus(db);
    return {
      ready: (counts['pending'] ?? 0) === 0 ? 0 : await countReady(db, now),
      running: counts['in_progress'] ?? 0,
      done: counts['done'] ?? 0,
      total: Object.values(counts).reduce((sum, count) => sum + count, 0),
      questions: (await openQuestions(db)).filter(({ blocking }) => blocking).length,
      flags: (await openFlags(db, MAX_FLAGS)).filter(isOpenBlocker).length,
      failed: counts['failed'] ?? 0,
      blocked: counts['blocked'] ?? 0,
      drafts: counts['draft'] ?? 0,
    };
  });
};

export const isAtWork = (queue: Queue, task_id: number): Promise<boolean> =>
  queue.store.read(async (db) => (await findTask(db, task_id))?.status === 'in_progress');
