import { countLearningsOfRun } from '../../store/learnings/learning-lists.ts';
import type { Queue } from '../queue.ts';

export const learnedInRun = (queue: Queue, run_id: number): Promise<number> =>
  queue.store.read((db) => countLearningsOfRun(db, run_id));
