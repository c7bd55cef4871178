import { type Flag, flagContent, type Severity } from '../../domain/tasks/flag.ts';
import type { Reader, Writer } from '../database.ts';
import { toSignal } from '../sessions/signals.ts';

/** False if the same flag of the task is open already. */
export async function openFlag(
  db: Writer,
  flag: { task_id: number; signal_id: number; severity: Severity },
): Promise<boolean> {
  const twin = await db
    .selectFrom('signals as new')
    .innerJoin('signals as old', (join) =>
      join.onRef('old.verb', '=', 'new.verb').onRef('old.payload', '=', 'new.payload'),
    )
    .innerJoin('flags', 'flags.signal_id', 'old.id')
    .select('flags.id')
    .where('new.id', '=', flag.signal_id)
    .where('flags.task_id', '=', flag.task_id)
    .where('flags.closed', 'is', null)
    .executeTakeFirst();
  if (twin !== undefined) return false;
  await db.insertInto('flags').values(flag).execute();
  return true;
}

/** `most`: the first so many; those that block come first, then the oldest. */
export const openFlags = async (db: Reader, most: number): Promise<Flag[]> =>
  toFlags(
    await selectFlags(db)
      .where('flags.closed', 'is', null)
      .orderBy(({ eb }) => eb('flags.severity', '=', 'blocking'), 'desc')
      .orderBy('flags.id')
      .limit(most)
      .execute(),
  );

/** Open or closed, newest first. */
export const newestFlags = async (db: Reader, most: number): Promise<Flag[]> =>
  toFlags(await selectFlags(db).orderBy('flags.id', 'desc').limit(most).execute());

export const flagsOfTask = async (db: Reader, task_id: number): Promise<Flag[]> =>
  toFlags(await selectFlags(db).where('flags.task_id', '=', task_id).orderBy('flags.id').execute());

export async function findFlag(db: Reader, id: number): Promise<Flag | null> {
  return toFlags(await selectFlags(db).where('flags.id', '=', id).execute())[0] ?? null;
}

/** `task_id`: of this task alone, and only those that block. */
export async function countOpenFlags(db: Reader, task_id?: number): Promise<number> {
  let query = db
    .selectFrom('flags')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('closed', 'is', null);
  if (task_id !== undefined) query = query.where('task_id', '=', task_id).where('severity', '=', 'blocking');
  return Number((await query.executeTakeFirstOrThrow()).count);
}

export async function closeFlag(db: Writer, id: number, note: string | null, closed: number): Promise<void> {
  await db.updateTable('flags').set({ closed, note }).where('id', '=', id).execute();
}

const selectFlags = (db: Reader) =>
  db
    .selectFrom('flags')
    .innerJoin('signals', 'signals.id', 'flags.signal_id')
    .select(['flags.id', 'flags.task_id', 'flags.closed', 'flags.note'])
    .select(['signals.verb', 'signals.payload', 'signals.created']);

type FlagRow = Awaited<ReturnType<ReturnType<typeof selectFlags>['execute']>>[number];

const toFlags = (rows: readonly FlagRow[]): Flag[] =>
  rows.flatMap(({ verb, payload, ...row }) => {
    const content = flagContent(toSignal(verb, payload));
    return content === null ? [] : [{ ...row, ...content }];
  });
