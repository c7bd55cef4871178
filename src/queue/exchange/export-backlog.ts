// The whole queue as a file for others. Every task gets an id there that stays its own, and what was written counts as read: so
// reading the file again finds every task, and sees only what somebody else has changed in it.
import type { Source } from '../../domain/exchange/backlog.ts';
import { type BacklogFormat, OWN_BOARD } from '../../domain/exchange/backlog-file.ts';
import { freeName } from '../../domain/exchange/free-name.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { readMetadata } from '../../store/metadata.ts';
import { listFeatures } from '../../store/tasks/features.ts';
import { insertReferences, referencesOf, rememberSeen } from '../../store/tasks/references.ts';
import { listTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { matchBacklog, snapshotOf } from './match-backlog.ts';

export const exportBacklog = (queue: Queue, form: BacklogFormat): Promise<string> =>
  queue.store.write((db) => snapshotWithin(db, form));

/** The same inside of a transaction that does more. */
export async function snapshotWithin(db: Writer, form: BacklogFormat): Promise<string> {
  const { title = null, description = null } = await readMetadata(db);
  const tasks = await listTasks(db);
  const ids = await giveIds(db, form, tasks);
  const text = form.format({
    title,
    description,
    features: await listFeatures(db),
    tasks,
    idOf: (id) => ids.get(id) ?? String(id),
  });
  if (tasks.length > 0) await rememberWritten(db, form, text);
  return text;
}

/** The id that the task came in with, where no other has it. */
async function giveIds(
  db: Writer,
  form: BacklogFormat,
  tasks: readonly Task[],
): Promise<Map<number, string>> {
  const references = await referencesOf(db, form.source);
  const ids = new Map<number, string>();
  const elsewhere = new Map<number, string>();
  for (const { board, id, task_id } of references) (board === OWN_BOARD ? ids : elsewhere).set(task_id, id);
  const taken = new Set(ids.values());
  const fresh: { source: Source; board: string; id: string; task_id: number; seen: null }[] = [];
  for (const task of tasks) {
    if (ids.has(task.id)) continue;
    const id = freeName(elsewhere.get(task.id) ?? form.nameFor(task), taken);
    taken.add(id);
    ids.set(task.id, id);
    fresh.push({ source: form.source, board: OWN_BOARD, id, task_id: task.id, seen: null });
  }
  await insertReferences(db, fresh);
  return ids;
}

async function rememberWritten(db: Writer, form: BacklogFormat, text: string): Promise<void> {
  const backlog = { ...form.read(text, 'the plan'), board: OWN_BOARD, isOneBoard: true };
  const { matched, known, links } = await matchBacklog(db, backlog, 'the plan');
  for (const { id, task } of matched) {
    const seen = snapshotOf(id, task, links);
    if (JSON.stringify(known.get(task.id)?.seen) !== JSON.stringify(seen))
      await rememberSeen(db, { source: form.source, board: OWN_BOARD, id: task.id }, seen);
  }
}
