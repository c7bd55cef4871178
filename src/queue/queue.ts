import type { Door } from '../domain/event.ts';
import { type Mask, maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { openStore, type Store, type StoreOptions } from '../store/open.ts';

/**
 * What every use case needs: where the state is, and what time it is. The store masks all that is written; `mask` is for those
 * that compare or index a text before they write it.
 */
export type Queue = { readonly store: Store; readonly now: () => number; readonly mask: Mask };

/** `via`: who changes something here, as its events tell it. `mask`: by default, what looks like a secret is masked. */
export async function openQueue(
  path: string,
  now: () => number = Date.now,
  via: Door | null = null,
  { mask = maskSecrets({}), ...options }: Pick<StoreOptions, 'mask' | 'mayCreate' | 'restoreWithin'> = {},
): Promise<Queue> {
  return { store: await openStore(path, { ...options, via, mask }), now, mask };
}

/** Somebody put another database in the place of this one, or took it away: what is read is what it held before. */
export const isReplaced = ({ store }: Queue): boolean => !store.isSameFile();

/** Looks for the database, and puts it back where this process does that. Answers how often it was replaced since it was opened. */
export async function findDatabase({ store }: Queue): Promise<number> {
  await store.read(async () => {});
  return store.replacements();
}

export const closeQueue = (queue: Queue): Promise<void> => queue.store.close();
