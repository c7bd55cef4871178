// Moves a queue to another database. The old one keeps its content, and accepts no more writes: two queues of one project would
// each give out the same tasks.
//
//   copying      target: empty, then one transaction with all rows, marked as "moved to the source"      the source counts
//   last step    source: marked as "moved to the target", in the transaction that has locked it so far    neither accepts writes
//   afterwards   target: its mark goes                                                                    the target counts
//
// A process that is killed at any of these points leaves a source that counts, or two marks with the same token; then the same
// command goes on from there.
import { sql } from 'kysely';
import { Refusal } from '../domain/refusal.ts';
import { clearRows, copyRows, differingTables, digestTables, hasRows, type TableDigest } from './copy.ts';
import type { Reader, Writer } from './database.ts';
import { dialectName } from './dialect.ts';
import { readMetadata, writeMetadata } from './metadata.ts';
import type { Store } from './open.ts';
import { MOVED_KEY, TOKEN_KEY } from './succession.ts';

export type MovedQueue = { rows: number; tables: ReadonlyMap<string, TableDigest>; isResumed: boolean };

/** Both were opened with `mayBeMoved` and without a mask. `requireIdle`: throws while a run works on the source. */
export async function moveQueue(
  source: Store,
  target: Store,
  requireIdle: (db: Reader) => Promise<void>,
): Promise<MovedQueue> {
  if (source.path === target.path)
    throw new Refusal(`The queue is at ${target.path} already; name another place.`);
  const isResumed = await isHalfMoved(source, target);
  if (!isResumed)
    // The source is locked until it is marked: nothing can be written that the copy does not have.
    await source.write(async (from) => {
      const moved = (await readMetadata(from))[MOVED_KEY];
      if (moved !== undefined) throw new Refusal(`The queue of this project moved to ${moved} already.`);
      await allowLongWork(from);
      await requireIdle(from);
      const token = crypto.randomUUID();
      await copyInto(from, source, target, token);
      await mark(from, target.path, token);
    });
  await target.write(clearMarks);
  const tables = await target.read(digestTables);
  const rows = [...tables.values()].reduce((sum, digest) => sum + digest.rows, 0);
  return { rows, tables, isResumed };
}

/** A copy beside the queue, which stays where it is. */
export async function copyQueue(source: Store, target: Store): Promise<void> {
  await source.read(async (from) => {
    await copyInto(from, source, target, crypto.randomUUID());
  });
}

/** Whether only the last mark is left to take away. */
export async function isHalfMoved(source: Store, target: Store): Promise<boolean> {
  const [left, right] = [await source.read(readMetadata), await target.read(readMetadata)];
  const token = left[TOKEN_KEY];
  return left[MOVED_KEY] === target.path && token !== undefined && right[TOKEN_KEY] === token;
}

export const finishMove = (target: Store): Promise<void> => target.write(clearMarks);

async function copyInto(from: Reader, source: Store, target: Store, token: string): Promise<void> {
  await target.write(async (to) => {
    await allowLongWork(to);
    const before = await digestTables(to);
    if (hasRows(before)) {
      // Only what a killed copy of the same queue left may be replaced.
      if ((await readMetadata(to))[MOVED_KEY] !== source.path)
        throw new Refusal(
          `There is a queue with content at ${target.path}; name an empty database or another schema.`,
        );
      await clearRows(to);
    }
    await copyRows(from, to);
    const differing = differingTables(await digestTables(from), await digestTables(to));
    if (differing.length > 0)
      throw new Refusal(
        `The copy differs from the queue in ${differing.join(', ')}, so nothing was moved; please report this.`,
      );
    await mark(to, source.path, token);
  });
}

async function mark(db: Writer, place: string, token: string): Promise<void> {
  await writeMetadata(db, MOVED_KEY, place);
  await writeMetadata(db, TOKEN_KEY, token);
}

async function clearMarks(db: Writer): Promise<void> {
  await db.deleteFrom('metadata').where('key', 'in', [MOVED_KEY, TOKEN_KEY]).execute();
}

/** While one side is read, the other waits within its transaction. */
async function allowLongWork(db: Reader): Promise<void> {
  if (dialectName(db) !== 'postgres') return;
  await sql
    .raw("set local idle_in_transaction_session_timeout = '30min'; set local statement_timeout = '30min'")
    .execute(db);
}
