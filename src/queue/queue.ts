import type { Channel } from '../domain/event.ts';
import { type Mask, maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { isUntouched, markNewQueue } from '../store/metadata.ts';
import { openStore, type Store, type StoreOptions } from '../store/open.ts';
import { miscounted, recount } from '../store/tasks/blockers.ts';

/**
 * What every use case needs: where the state is, and what time it is. The store masks all that is written; `mask` is for those
 * that compare or index a text before they write it.
 */
export type Queue = { readonly store: Store; readonly now: () => number; readonly mask: Mask };

/** `via`: who changes something here, as its events tell it. `mask`: by default, what looks like a secret is masked. */
export async function openQueue(
  path: string,
  now: () => number = Date.now,
  via: Channel | null = null,
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

/** Whether the queue may be a lost one: it is empty, and no person has begun it on purpose. */
export const isQueueUntouched = ({ store }: Queue): Promise<boolean> => store.read(isUntouched);

/** A person begins anew, whatever there was before. False where the queue is not empty: it stays as it is. */
export const beginNewQueue = ({ store }: Queue): Promise<boolean> =>
  store.write(async (db) => {
    if (!(await isUntouched(db))) return false;
    await markNewQueue(db);
    return true;
  });

export type Health = { integrity: string[]; miscounted: number[] };

export async function checkHealth(queue: Queue): Promise<Health> {
  return { integrity: await queue.store.integrityProblems(), miscounted: await queue.store.read(miscounted) };
}

export const repairCounters = (queue: Queue): Promise<void> => queue.store.write(recount);
