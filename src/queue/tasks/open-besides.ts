import { countByStatus } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';

/** How many tasks are neither done nor skipped, this one not counted. */
export const openBesides = (queue: Queue, task_id: number): Promise<number> =>
  queue.store.read(async (db) => {
    const { done = 0, skipped = 0, ...open } = await countByStatus(db);
    const { status } = await requireTask(db, task_id);
    const all = Object.values(open).reduce((sum, count) => sum + count, 0);
    return status === 'done' || status === 'skipped' ? all : all - 1;
  });
