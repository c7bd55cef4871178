import { isUntouched, markNewQueue } from '../store/untouched.ts';
import type { Queue } from './queue.ts';

/** Whether the queue may be a lost one: it is empty, and no person has begun it on purpose. */
export const isQueueUntouched = ({ store }: Queue): Promise<boolean> => store.read(isUntouched);

/** A person begins anew, whatever there was before. False where the queue is not empty: it stays as it is. */
export const beginNewQueue = ({ store }: Queue): Promise<boolean> =>
  store.write(async (db) => {
    if (!(await isUntouched(db))) return false;
    await markNewQueue(db);
    return true;
  });
