import type { Queue } from '../queue.ts';
import { list } from './list.ts';

/** Of a feature, or all there are. */
export async function draftIds(queue: Queue, feature?: string): Promise<number[]> {
  const drafts = await list(queue, { status: 'draft', ...(feature !== undefined && { feature }) });
  return drafts.map(({ id }) => id);
}
