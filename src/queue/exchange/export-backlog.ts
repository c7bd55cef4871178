// Exports the whole queue as a file for other tools. Each task gets a permanent id there, and Ralph remembers what it wrote.
// So a later import recognizes every task, and sees only what others changed.
import { type BacklogFormat, freeName, OWN_BOARD, type Source } from '../../domain/exchange/backlog.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { readMetadata } from '../../store/metadata.ts';
import { listFeatures } from '../../store/tasks/features.ts';
import { insertReferences, referencesBySource, saveSeenSnapshot } from '../../store/tasks/references.ts';
import { listTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { matchBacklog, toSnapshot } from './match-backlog.ts';

export const exportBacklog = (queue: Queue, form: BacklogFormat): Promise<string> =>
  queue.store.write((db) => exportBacklogWithin(db, form));

/** `exportBacklog` inside an open transaction. */
export async function exportBacklogWithin(db: Writer, form: BacklogFormat): Promise<string> {
  const { title = null, description = null } = await readMetadata(db);
  const tasks = withoutArchived(await listTasks(db));
  const ids = await assignIds(db, form, tasks);
  const text = form.format({
    title,
    description,
    features: await listFeatures(db),
    tasks,
    taskId: (id) => ids.get(id) ?? String(id),
  });
  if (tasks.length > 0) await rememberWritten(db, form, text);
  return text;
}

/** Without links to archived tasks, which no file shows. */
function withoutArchived(tasks: readonly StoredTask[]): StoredTask[] {
  const shown = new Set(tasks.map(({ id }) => id));
  return tasks.map((task) => ({
    ...task,
    depends_on: task.depends_on.filter((id) => shown.has(id)),
    parent: task.parent !== null && shown.has(task.parent) ? task.parent : null,
  }));
}

/** Reuses the id with which a task was imported, if no other task has it. */
async function assignIds(
  db: Writer,
  form: BacklogFormat,
  tasks: readonly Task[],
): Promise<Map<number, string>> {
  const references = await referencesBySource(db, form.source);
  const ids = new Map<number, string>();
  const importedIds = new Map<number, string>();
  for (const { board, id, task_id } of references) (board === OWN_BOARD ? ids : importedIds).set(task_id, id);
  const taken = new Set(ids.values());
  const fresh: { source: Source; board: string; id: string; task_id: number; seen: null }[] = [];
  for (const task of tasks) {
    if (ids.has(task.id)) continue;
    const id = freeName(importedIds.get(task.id) ?? form.preferredId(task), taken);
    taken.add(id);
    ids.set(task.id, id);
    fresh.push({ source: form.source, board: OWN_BOARD, id, task_id: task.id, seen: null });
  }
  await insertReferences(db, fresh);
  return ids;
}

async function rememberWritten(db: Writer, form: BacklogFormat, text: string): Promise<void> {
  const backlog = { ...form.read(text, 'the export'), board: OWN_BOARD, isOneBoard: true };
  const { matched, known, links } = await matchBacklog(db, backlog, 'the export');
  for (const { id, task } of matched) {
    const seen = toSnapshot(id, task, links);
    if (JSON.stringify(known.get(task.id)?.seen) !== JSON.stringify(seen))
      await saveSeenSnapshot(db, { source: form.source, board: OWN_BOARD, id: task.id }, seen);
  }
}
