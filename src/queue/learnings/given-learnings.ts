import { insertGivenLearnings } from '../../store/learnings/given-learnings.ts';
import { countLearningsOfRun } from '../../store/learnings/learning-lists.ts';
import { findLearnings } from '../../store/learnings/learnings.ts';
import type { Queue } from '../queue.ts';

/** Records which learnings a session was given, so that Ralph can measure which of them help. */
export const recordGivenLearnings = (
  queue: Queue,
  session_id: string,
  ids: readonly number[],
): Promise<void> =>
  queue.store.write(async (db) => {
    // A person may have removed one since the prompt was written.
    const existing = (await findLearnings(db, ids)).map(({ id }) => id);
    await insertGivenLearnings(db, session_id, existing);
  });

export const countRunLearnings = (queue: Queue, run_id: number): Promise<number> =>
  queue.store.read((db) => countLearningsOfRun(db, run_id));
