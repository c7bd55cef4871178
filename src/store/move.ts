// A queue that was copied to another database keeps its content, and accepts no more writes: two queues of one project would
// each give out the same tasks.
import { Refusal } from '../domain/refusal.ts';

/** In `metadata`; its value is the new place, without a password. */
export const MOVED_KEY = 'moved to database';

export function requireNotMoved(place: string | null): void {
  if (place === null) return;
  throw new Refusal(
    `The queue of this project moved to ${place}, and this copy accepts no more changes; go there with: ralph database use ${place}`,
  );
}
