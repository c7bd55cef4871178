import type { Channel, RalphEvent } from '../domain/event.ts';
import { Unreachable } from '../domain/refusal.ts';
import { type Mask, maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { eventsAfter, lastEventId } from '../store/events.ts';
import { isUntouched, markNewQueue } from '../store/metadata.ts';
import { openStore, type Store, type StoreOptions } from '../store/open.ts';
import { withPatience } from '../store/patient.ts';
import { findMiscounted, recountBlockers } from '../store/tasks/blockers.ts';

/**
 * What every use case needs: the store and the clock. The store masks everything that is written; `mask` is for use cases that
 * compare or index a text before they write it.
 */
export type Queue = { readonly store: Store; readonly now: () => number; readonly mask: Mask };

/**
 * The clock of the machine counts as that of the database, which may be another machine's; any other clock counts as it is.
 * `via`: the channel that the events of this queue name. `mask`: by default, masks text that looks like a secret.
 */
export async function openQueue(
  path: string,
  now: () => number = Date.now,
  via: Channel | null = null,
  { mask = maskSecrets({}), ...options }: Pick<StoreOptions, 'mask' | 'mayCreate' | 'restoreWithin'> = {},
): Promise<Queue> {
  const store = await openStore(path, { ...options, via, mask });
  return { store, now: now === Date.now ? store.now : now, mask };
}

/** The same queue, whose events name another channel. Closing either closes both. */
export const queueVia = (queue: Queue, channel: Channel): Queue => ({
  ...queue,
  store: queue.store.via(channel),
});

/** The same queue for a run: it waits for its database for as long as the run goes on. */
export const patientQueue = (queue: Queue, goOn: () => boolean): Queue => ({
  ...queue,
  store: withPatience(queue.store, { goOn }),
});

/** A client gives up on a tool that takes longer. */
const VERB_PATIENCE_MS = 60_000;

/** The same queue for an agent's calls. It hears neither where the database is, nor that something is recorded that is not. */
export const queueForAgents = (queue: Queue, patienceMs = VERB_PATIENCE_MS): Queue => ({
  ...queue,
  store: withPatience(queue.store, {
    goOn: (waitedMs) => waitedMs < patienceMs,
    refuse: (error) => new Unreachable(NOT_RECORDED, { cause: error }),
  }),
});

const NOT_RECORDED =
  'Not recorded: the database of Ralph does not answer. Nothing was changed; call the tool again.';

/** True if the database file was replaced or removed: reads still see its earlier content. */
export const isReplaced = ({ store }: Queue): boolean => !store.isSameFile();

/** Restores a removed database if this process may. Returns how often it was replaced since it was opened. */
export async function findDatabase({ store }: Queue): Promise<number> {
  await store.read(async () => {});
  return store.replacements();
}

export const closeQueue = (queue: Queue): Promise<void> => queue.store.close();

/** Whether an earlier queue may have been lost: this one is empty, and no person began it on purpose. */
export const isQueueUntouched = ({ store }: Queue): Promise<boolean> => store.read(isUntouched);

/** A person starts a new queue on purpose. False if the queue is not empty: it stays as it is. */
export const beginNewQueue = ({ store }: Queue): Promise<boolean> =>
  store.write(async (db) => {
    if (!(await isUntouched(db))) return false;
    await markNewQueue(db);
    return true;
  });

/** Only one process of the project at a time does such work: a write transaction keeps the others waiting. */
export const exclusively = <Result>({ store }: Queue, work: () => Promise<Result>): Promise<Result> =>
  store.write(work);

type Health = { integrity: string[]; miscounted: number[] };

export async function checkHealth(queue: Queue): Promise<Health> {
  return {
    integrity: await queue.store.integrityProblems(),
    miscounted: await queue.store.read(findMiscounted),
  };
}

export const repairCounters = (queue: Queue): Promise<void> => queue.store.write(recountBlockers);

/** Events after this id, of this process and of others. */
export const changesSince = (queue: Queue, id: number): Promise<RalphEvent[]> =>
  queue.store.read((db) => eventsAfter(db, id));

export const lastChangeId = (queue: Queue): Promise<number> => queue.store.read(lastEventId);
