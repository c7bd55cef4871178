// Updates an imported task from its source. Ralph changes only what the source changed: edits made here stay, and so does every
// status that Ralph's own work led to.

import type { TaskDefinition } from '../../domain/definition.ts';
import type { Reference, Snapshot, SourceTask } from '../../domain/exchange/backlog.ts';
import { sourceNotes } from '../../domain/exchange/source-notes.ts';
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { type Status, TASK_DEFAULTS, type TaskFields } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { allReferences, insertReferences, type StoredReference } from '../../store/tasks/references.ts';
import { commentsOfTask } from '../../store/tasks/task-comments.ts';
import { type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import { changeStatus, reopenFeatures } from '../tasks/change-status.ts';
import { commentOn } from '../tasks/comment.ts';
import { approveTask, retryTask, skipTask } from '../tasks/decide.ts';
import { applyEdit, changedFields } from '../tasks/edit.ts';
import { dropDependencies } from '../tasks/link.ts';

export type SourceUpdate = {
  task: SourceTask;
  current: StoredTask;
  /** The last imported state; null if Ralph does not know it. */
  before: Snapshot | null;
  seen: Snapshot;
};

type LinkedUpdate = SourceUpdate & { isUnlinked: boolean };

export async function removeGoneLinks(db: Writer, update: SourceUpdate, at: number): Promise<LinkedUpdate> {
  const { current, before, seen } = update;
  const gone = (before?.depends_on ?? []).filter((id) => !seen.depends_on.includes(id));
  const wanted = current.depends_on.filter((id) => !gone.includes(id) || isOwned(current, 'depends_on'));
  const unlinked = await dropDependencies(db, current, wanted, at);
  return { ...update, current: unlinked, isUnlinked: unlinked !== current };
}

/** One import: the file's name, the time, and whether Ralph verifies a feature that it finishes. */
export type Reading = { file: string; at: number; verify: boolean };

export async function updateFromSource(
  db: Writer,
  update: LinkedUpdate,
  reading: Reading,
): Promise<{ isChanged: boolean; note: string | null }> {
  const { file, at } = reading;
  const { task, current, before, seen, isUnlinked } = update;
  const wanted = changedInSource(before, seen);
  const owned = changedFields<object>(current, wanted).filter((name) => isOwned(current, name));
  for (const name of owned) delete wanted[name as keyof TaskFields];
  const added = seen.depends_on.filter((id) => !before?.depends_on.includes(id));
  const depends_on = isOwned(current, 'depends_on')
    ? current.depends_on
    : [...new Set([...current.depends_on, ...added])];
  const isEdited = await applyEdit(db, current, { ...wanted, depends_on }, at);
  const { isMoved, note } = await followStatus(db, update, reading);
  const isPutOff = await followTime(db, update, at);
  const sourceText = sourceNotes(await newLeftovers(db, update), file);
  if (sourceText !== null) await addSystemComment(db, current.id, sourceText, at);
  const notes = [
    ...(note === null ? [] : [note]),
    ...owned.map(
      (name) => `${task.id} has its ${name} from .ralph/tasks.yaml; what ${file} says was left out.`,
    ),
  ];
  return {
    isChanged: isUnlinked || isEdited || isMoved || isPutOff || sourceText !== null,
    note: notes.length === 0 ? null : notes.join(' '),
  };
}

/** If the last imported state is unknown, skips leftovers that a comment already holds. */
async function newLeftovers(
  db: Writer,
  { task, current, before }: LinkedUpdate,
): Promise<Record<string, string>> {
  const changed = Object.entries(changedLeftovers(task, before));
  const comments = before === null && changed.length > 0 ? await commentsOfTask(db, current.id) : [];
  return Object.fromEntries(
    changed.filter(
      ([name, value]) => !comments.some(({ body }) => body.includes(name) && body.includes(value)),
    ),
  );
}

const isOwned = ({ defined }: StoredTask, field: string): boolean => defined?.includes(field) ?? false;

/** A field that the source no longer gives returns to its default. */
function changedInSource(before: Snapshot | null, { fields }: Snapshot): Partial<TaskFields> {
  if (before === null) return { ...fields };
  const defaults: Partial<TaskFields> = TASK_DEFAULTS;
  const names = new Set([...Object.keys(before.fields), ...Object.keys(fields)] as (keyof TaskFields)[]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before.fields[name]) !== JSON.stringify(fields[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, fields[name] ?? defaults[name]]));
}

const REQUEUE: Partial<Record<Status, (db: Writer, task: StoredTask, at: number) => Promise<void>>> = {
  draft: approveTask,
  failed: retryTask,
  blocked: retryTask,
  skipped: retryTask,
  done: (db, task, at) => changeStatus(db, task, { cause: 'reopen', to: 'pending', at }),
};

/**
 * Closed in the source and open here: the task is skipped, because only gates make a task done. Reopened in the source: the task
 * goes back into the queue, unless Ralph has a receipt for it.
 */
async function followStatus(
  db: Writer,
  { task, current, before, seen }: LinkedUpdate,
  { file, at, verify }: Reading,
): Promise<{ isMoved: boolean; note: string | null }> {
  const unchanged = { isMoved: false, note: null };
  const [from, to] = [current.status, seen.status];
  if (from === to || before?.status === to || (isSatisfied(from) && isSatisfied(to))) return unchanged;
  const refused = {
    isMoved: false,
    note: `${task.id} is ${task.original_status} in ${file}, and stays ${from} here.`,
  };
  if (isSatisfied(to)) {
    if (from === 'in_progress') return refused;
    await skipTask(db, current, at, verify);
    await addSystemComment(
      db,
      current.id,
      `It is ${task.original_status} in ${file}, so it was skipped here.`,
      at,
    );
    return { isMoved: true, note: null };
  }
  // Without the last imported state, a change in the source looks the same as Ralph's own work.
  if (before === null) return unchanged;
  const requeue = REQUEUE[from];
  const isProven = from === 'done' && (await findReceipt(db, current.id)) !== null;
  if (to !== 'pending' || requeue === undefined || isProven) return refused;
  await requeue(db, current, at);
  await reopenFeatures(db, [current.feature], at);
  await addSystemComment(
    db,
    current.id,
    `It is ${task.original_status} again in ${file}, so it is back in the queue.`,
    at,
  );
  return { isMoved: true, note: null };
}

/** Follows a time that the source changed; a time that Ralph set stays. */
async function followTime(db: Writer, { current, before, seen }: LinkedUpdate, at: number): Promise<boolean> {
  const not_before = seen.not_before ?? null;
  if (before === null || (before.not_before ?? null) === not_before || current.not_before === not_before)
    return false;
  await updateTask(db, current.id, { not_before, updated: at });
  await appendEvents(db, [
    { at, kind: 'task.edited', task_id: current.id, data: { changed: ['not_before'] } },
  ]);
  return true;
}

const addSystemComment = (db: Writer, task_id: number, body: string, at: number): Promise<void> =>
  commentOn(db, task_id, { author: 'system', body, created: at });

export function changedLeftovers(task: SourceTask, before: Snapshot | null): Record<string, string> {
  const changed = Object.entries(task.leftovers).filter(([name, value]) => before?.leftovers[name] !== value);
  return Object.fromEntries(changed);
}

/** Adds the origins that definition files give. Returns the tasks that got a new one. */
export async function addReferences(
  db: Writer,
  matched: readonly { id: number; definition: TaskDefinition }[],
): Promise<Set<number>> {
  const sourceReferences = matched.flatMap(({ id, definition }) =>
    (definition.references ?? []).map((reference) => ({ ...reference, task_id: id, at: definition.at })),
  );
  if (sourceReferences.length === 0) return new Set();
  const referenceKey = ({ source, board, id }: Reference): string => JSON.stringify([source, board, id]);
  const owners = new Map((await allReferences(db)).map((one) => [referenceKey(one), one.task_id]));
  const fresh: StoredReference[] = [];
  for (const { at, ...reference } of sourceReferences) {
    const owner = owners.get(referenceKey(reference));
    if (owner !== undefined && owner !== reference.task_id)
      throw new Refusal(
        `${at}: task ${owner} was already imported from ${reference.source} ${reference.id}.`,
      );
    if (owner === undefined) fresh.push({ ...reference, seen: null });
    owners.set(referenceKey(reference), reference.task_id);
  }
  await insertReferences(db, fresh);
  return new Set(fresh.map(({ task_id }) => task_id));
}
