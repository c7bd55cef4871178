import { openStore, type Store } from '../store/open.ts';

/** What every use case needs: where the state is, and what time it is. */
export type Queue = { readonly store: Store; readonly now: () => number };

export async function openQueue(path: string, now: () => number = Date.now): Promise<Queue> {
  return { store: await openStore(path), now };
}

export const closeQueue = (queue: Queue): Promise<void> => queue.store.close();
