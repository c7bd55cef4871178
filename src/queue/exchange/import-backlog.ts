// Imports another tool's backlog: adds new tasks with their origin, and updates known ones with the source's changes.

import type { TaskDefinition } from '../../domain/definition.ts';
import type {
  Backlog,
  ImportReport,
  Reference,
  Snapshot,
  SourceTask,
} from '../../domain/exchange/backlog.ts';
import { sourceNotes, unverifiedNotice } from '../../domain/exchange/source-notes.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { TASK_DEFAULTS } from '../../domain/tasks/task.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { insertReferences, saveSeenSnapshot } from '../../store/tasks/references.ts';
import { findTasks } from '../../store/tasks/tasks.ts';
import { insertNewTasks } from '../definitions/apply-task-definitions.ts';
import type { Queue } from '../queue.ts';
import { completeFeature } from '../tasks/complete-feature.ts';
import { importFeatures } from './import-features.ts';
import { matchBacklog, toSnapshot } from './match-backlog.ts';
import {
  changedLeftovers,
  type Reading,
  removeGoneLinks,
  type SourceUpdate,
  updateFromSource,
} from './update-from-source.ts';

/** `file`: the name that the person gave, for comments and unnamed boards. `verify`: whether Ralph verifies features. */
export function importBacklog(
  queue: Queue,
  backlog: Backlog,
  file: string,
  verify = false,
): Promise<ImportReport> {
  const at = queue.now();
  const masked = maskValue(backlog, queue.mask);
  return queue.store.write((db) => importBacklogWithin(db, masked, { file, at, verify }));
}

type NewTask = { id: number; task: SourceTask; seen: Snapshot };

/** `importBacklog` inside an open transaction. */
export async function importBacklogWithin(
  db: Writer,
  backlog: Backlog,
  reading: Reading,
): Promise<ImportReport> {
  const { file, at } = reading;
  const { matched, board, known, problems, links } = await matchBacklog(db, backlog, file);
  const features = await importFeatures(db, backlog.features, file, at);
  const disciplines = new Set((await listDisciplines(db)).map(({ name }) => name));
  const fresh: NewTask[] = [];
  const updates: SourceUpdate[] = [];
  const unknown: string[] = [];
  for (const { id, task: given, current } of matched) {
    const { task, problem } = withKnownDiscipline(given, disciplines);
    const seen = toSnapshot(id, task, links);
    if (current === null) fresh.push({ id, task, seen });
    else updates.push({ task, current, before: known.get(task.id)?.seen ?? null, seen });
    if (problem !== null) unknown.push(problem);
  }
  const from = (task: SourceTask): Reference => ({ source: backlog.source, board, id: task.id });
  await addFresh(db, fresh, from, reading);
  await completeFeatures(db, backlog, fresh, at);
  const { updated, notes } = await applyUpdates(db, updates, from, reading);
  const unread = (backlog.unread ?? []).flatMap((id) => known.get(id)?.task_id ?? []);
  const inFile = new Set([...matched.map(({ id }) => id), ...unread]);
  return {
    source: backlog.source,
    board,
    added: fresh.length,
    updated,
    unchanged: updates.length - updated,
    features: features.counts,
    mapped: backlog.mapped,
    kept: keptFields([
      ...fresh.map(({ task }) => task.leftovers),
      ...updates.map(({ task, before }) => changedLeftovers(task, before)),
    ]),
    problems: [...backlog.problems, ...problems, ...features.problems, ...unknown, ...notes],
    gone: await shownTasks(
      db,
      [...new Set([...known.values()].map(({ task_id }) => task_id))].filter((id) => !inFile.has(id)),
    ),
  };
}

/** A person removed the archived tasks, so the file need not have them. */
async function shownTasks(db: Reader, ids: readonly number[]): Promise<number[]> {
  const shown = (await findTasks(db, ids)).filter(({ archived }) => archived === null);
  return shown.map(({ id }) => id).sort((a, b) => a - b);
}

async function addFresh(
  db: Writer,
  fresh: readonly NewTask[],
  from: (task: SourceTask) => Reference,
  { file, at }: Reading,
): Promise<void> {
  const entries = fresh.map(({ id, task, seen }) => ({
    id,
    current: undefined,
    definition: toDefinition(task, seen, file),
    wanted: seen.depends_on,
  }));
  await insertNewTasks(db, entries, 'import', at);
  await insertReferences(
    db,
    fresh.map(({ id, task, seen }) => ({ ...from(task), task_id: id, seen })),
  );
}

/** If the source gives no status for a feature, its tasks decide. */
async function completeFeatures(
  db: Writer,
  { features }: Backlog,
  fresh: readonly NewTask[],
  at: number,
): Promise<void> {
  const finished = new Set(
    fresh.filter(({ task }) => isSatisfied(task.status)).map(({ task }) => task.fields.feature),
  );
  // Ralph does not verify work that was done elsewhere.
  for (const { name, status } of features)
    if (status === null && finished.has(name))
      await completeFeature(db, { ...TASK_DEFAULTS, feature: name }, { verify: false, at });
}

async function applyUpdates(
  db: Writer,
  updates: readonly SourceUpdate[],
  from: (task: SourceTask) => Reference,
  reading: Reading,
): Promise<{ updated: number; notes: readonly string[] }> {
  const linked = [];
  for (const update of updates) linked.push(await removeGoneLinks(db, update, reading.at));
  const notes: string[] = [];
  let updated = 0;
  for (const update of linked) {
    const { isChanged, note } = await updateFromSource(db, update, reading);
    if (isChanged) updated += 1;
    if (note !== null) notes.push(note);
    if (JSON.stringify(update.before) !== JSON.stringify(update.seen))
      await saveSeenSnapshot(db, from(update.task), update.seen);
  }
  return { updated, notes };
}

function withKnownDiscipline(
  task: SourceTask,
  known: ReadonlySet<string>,
): { task: SourceTask; problem: string | null } {
  const { discipline } = task.fields;
  if (discipline === undefined || discipline === null || known.has(discipline))
    return { task, problem: null };
  const { discipline: _, ...fields } = task.fields;
  return {
    task: { ...task, fields, leftovers: { ...task.leftovers, discipline } },
    problem: `${task.id} names the discipline ${discipline}, which does not exist; Ralph keeps the name as a comment.`,
  };
}

function toDefinition(task: SourceTask, seen: Snapshot, file: string): TaskDefinition {
  const { created, updated, completed } = task.times;
  const bodies = [unverifiedNotice(task, file), sourceNotes(task.leftovers, file)];
  return {
    at: `${file}: ${task.id}`,
    fields: { ...seen.fields, title: task.fields.title },
    depends_on: seen.depends_on,
    state: {
      status: task.status,
      blocked_by: task.blocked_by,
      ...(created !== undefined && { created }),
      ...(updated !== undefined && { updated }),
      ...(completed !== undefined && { completed }),
      ...(task.not_before !== null && { not_before: task.not_before }),
      comments: bodies.flatMap((body) => (body === null ? [] : [{ author: 'system' as const, body }])),
    },
  };
}

function keptFields(all: readonly Readonly<Record<string, string>>[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of all.flatMap(Object.keys)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
