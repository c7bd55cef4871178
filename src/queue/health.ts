import { miscounted, recount } from '../store/tasks/blockers.ts';
import type { Queue } from './queue.ts';

export type Health = { integrity: string[]; miscounted: number[] };

export async function checkHealth(queue: Queue): Promise<Health> {
  return { integrity: await queue.store.integrityProblems(), miscounted: await queue.store.read(miscounted) };
}

export const repairCounters = (queue: Queue): Promise<void> => queue.store.write(recount);
