import type { Need } from '../domain/notifications/notification.ts';
import type { Reader, Writer } from './database.ts';
import { writeMetadata } from './metadata.ts';

const CURSOR = 'notified until event';

/** The last event that was looked at; null if none ever was. */
export async function notifiedUntil(db: Reader): Promise<number | null> {
  const row = await db.selectFrom('metadata').select('value').where('key', '=', CURSOR).executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

export const setNotifiedUntil = (db: Writer, event_id: number): Promise<void> =>
  writeMetadata(db, CURSOR, String(event_id));

type NewNotification = Need & { target: string; created: number; next_try: number };

export async function insertNotifications(db: Writer, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('notifications')
    .values(rows.map(({ text, ...row }) => ({ ...row, body: text })))
    .onConflict((conflict) => conflict.columns(['event_id', 'target']).doNothing())
    .execute();
}

/** `problem`: why the last try failed; null before the first one, and while nobody knows what became of it. */
export type DueNotification = Need & {
  id: number;
  target: string;
  attempts: number;
  created: number;
  next_try: number;
  problem: string | null;
};

/** `isAsked`: also what failed and would be tried only later. */
type DueSearch = {
  targets: readonly string[] | { begin: string };
  until: number;
  attempts: number;
  limit: number;
  isAsked?: boolean;
};

/** What these targets have not taken yet, oldest first. */
export async function dueNotifications(
  db: Reader,
  { targets, until, attempts, limit, isAsked = false }: DueSearch,
): Promise<DueNotification[]> {
  if ('length' in targets && targets.length === 0) return [];
  const rows = await db
    .selectFrom('notifications')
    .select([
      'id',
      'event_id',
      'target',
      'kind',
      'body',
      'command',
      'attempts',
      'created',
      'next_try',
      'problem',
    ])
    .where('told', 'is', null)
    .where(({ eb }) =>
      'begin' in targets ? eb('target', 'like', `${targets.begin}%`) : eb('target', 'in', targets),
    )
    .where(({ eb, or }) =>
      or([eb('next_try', '<=', until), ...(isAsked ? [eb('problem', 'is not', null)] : [])]),
    )
    .where('attempts', '<', attempts)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ body, ...row }) => ({ ...row, text: body }));
}

export async function updateNotification(
  db: Writer,
  id: number,
  change:
    | { attempts: number; next_try: number; problem?: null }
    | { told: number }
    | { next_try?: number; problem: string },
): Promise<void> {
  await db.updateTable('notifications').set(change).where('id', '=', id).execute();
}

export type WaitingNotification = { target: string; attempts: number; problem: string | null };

/** What has not been told yet, or never will be, oldest first. */
export const waitingNotifications = (db: Reader): Promise<WaitingNotification[]> =>
  db
    .selectFrom('notifications')
    .select(['target', 'attempts', 'problem'])
    .where('told', 'is', null)
    .orderBy('id')
    .execute();

export async function removeNotificationsBefore(db: Writer, time: number): Promise<void> {
  await db.deleteFrom('notifications').where('created', '<', time).execute();
}
