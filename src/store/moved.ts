// The mark of a queue that was moved to another database; see move.ts.
import { Refusal } from '../domain/refusal.ts';

/** In `metadata`; its value is the other place, without a password. */
export const MOVED_KEY = 'moved to database';
/** The same in both places while a move is not finished. */
export const TOKEN_KEY = 'move token';

export function requireNotMoved(place: string | null): void {
  if (place === null) return;
  throw new Refusal(
    `The queue of this project moved to ${place}, and this copy accepts no more changes; go there with: ralph database use ${place}`,
  );
}
