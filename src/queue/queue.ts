import type { Door } from '../domain/event.ts';
import { openStore, type Store } from '../store/open.ts';

/** What every use case needs: where the state is, and what time it is. */
export type Queue = { readonly store: Store; readonly now: () => number };

/** `via`: who changes something here, as its events tell it. */
export async function openQueue(
  path: string,
  now: () => number = Date.now,
  via: Door | null = null,
): Promise<Queue> {
  return { store: await openStore(path, { via }), now };
}

/** Somebody put another database in the place of this one, or took it away: what is read is what it held before. */
export const isReplaced = ({ store }: Queue): boolean => !store.isSameFile();

export const closeQueue = (queue: Queue): Promise<void> => queue.store.close();
