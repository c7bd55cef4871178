// What needs a person is stored before anybody is told, so that a crash loses none of it. For each target a need has one row,
// whoever sees its event.
import {
  GROUP_MS,
  MAX_ATTEMPTS,
  type Need,
  type NeedKind,
  pauseAfter,
} from '../../domain/notifications/need.ts';
import { eventsAfter, lastEventId } from '../../store/events.ts';
import {
  type DueNotification,
  dueNotifications,
  insertNotifications,
  notifiedUntil,
  removeNotificationsBefore,
  setNotifiedUntil,
  updateNotification,
} from '../../store/notifications.ts';
import type { Queue } from '../queue.ts';
import { needIn } from './need-in.ts';

/** A target of the configuration, by a name that holds no secret. */
export type OutboxTarget = { key: string; on: readonly NeedKind[] };

const EVENTS_AT_ONCE = 500;
const NEEDS_AT_ONCE = 50;
const KEPT_MS = 30 * 24 * 3_600_000;

/** What happened before the first call is no news. */
export const beginOutbox = (queue: Queue): Promise<void> =>
  queue.store.write(async (db) => {
    if ((await notifiedUntil(db)) === null) await setNotifiedUntil(db, await lastEventId(db));
    await removeNotificationsBefore(db, queue.now() - KEPT_MS);
  });

/** Takes new needs into the outbox. */
export async function collectNeeds(queue: Queue, targets: readonly OutboxTarget[]): Promise<void> {
  while (await collectSome(queue, targets));
}

/** True if there may be more. */
function collectSome(queue: Queue, targets: readonly OutboxTarget[]): Promise<boolean> {
  const created = queue.now();
  return queue.store.write(async (db) => {
    const events = await eventsAfter(db, (await notifiedUntil(db)) ?? 0, EVENTS_AT_ONCE);
    const last = events.at(-1);
    if (last === undefined) return false;
    const needs: Need[] = [];
    for (const event of events) {
      const need = await needIn(db, event);
      if (need !== null) needs.push(need);
    }
    await insertNotifications(
      db,
      needs.flatMap((need) =>
        targets
          .filter(({ on }) => on.includes(need.kind))
          .map(({ key: target }) => ({ ...need, target, created, next_try: created + GROUP_MS })),
      ),
    );
    await setNotifiedUntil(db, last.id);
    return events.length === EVENTS_AT_ONCE;
  });
}

/**
 * Hands out what is due for these targets, and to nobody else for as long as a try takes. `isLast`: also what would wait for others
 * to be told with it, because the run ends.
 */
export function takeNeeds(
  queue: Queue,
  targets: readonly string[],
  { isLast = false }: { isLast?: boolean } = {},
): Promise<DueNotification[]> {
  const now = queue.now();
  return queue.store.write(async (db) => {
    const until = isLast ? now + GROUP_MS : now;
    const due = await dueNotifications(db, { targets, until, attempts: MAX_ATTEMPTS, limit: NEEDS_AT_ONCE });
    for (const { id, attempts } of due)
      await updateNotification(db, id, {
        attempts: attempts + 1,
        next_try: now + pauseAfter(attempts + 1),
      });
    return due;
  });
}

export const markTold = (queue: Queue, ids: readonly number[]): Promise<void> => {
  const told = queue.now();
  return queue.store.write(async (db) => {
    for (const id of ids) await updateNotification(db, id, { told });
  });
};
