// A task that came from elsewhere, read there again. What the source left as it was is Ralph's: a person's edit here stays, and so
// does every state that Ralph's own work has led to.

import type { TaskDefinition } from '../../domain/definition.ts';
import type { Reference, Snapshot, SourceTask } from '../../domain/exchange/backlog.ts';
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { type Status, TASK_DEFAULTS, type TaskFields } from '../../domain/tasks/task.ts';
import { keepable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { allReferences, insertReferences, type StoredReference } from '../../store/tasks/references.ts';
import { commentsOfTask } from '../../store/tasks/task-comments.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { requireTask } from '../require.ts';
import { changeStatus, reopenFeatures } from '../tasks/change-status.ts';
import { commentOn } from '../tasks/comment.ts';
import { approveTask, retryTask, skipTask } from '../tasks/decide.ts';
import { applyEdit, changedFields } from '../tasks/edit.ts';
import { setDependencies } from '../tasks/link.ts';

export type SourceUpdate = {
  task: SourceTask;
  current: StoredTask;
  /** As it was last read; null where nobody knows. */
  before: Snapshot | null;
  seen: Snapshot;
};

type Linked = SourceUpdate & { isUnlinked: boolean };

/** Links that go are taken out of all tasks before any is put in: turning an edge around is no cycle. */
export async function withoutGoneLinks(db: Writer, update: SourceUpdate, at: number): Promise<Linked> {
  const { current, before, seen } = update;
  const gone = (before?.depends_on ?? []).filter((id) => !seen.depends_on.includes(id));
  const kept = current.depends_on.filter((id) => !gone.includes(id) || isOwned(current, 'depends_on'));
  const isUnlinked = kept.length < current.depends_on.length;
  if (!isUnlinked) return { ...update, isUnlinked };
  await setDependencies(db, current, kept, at);
  return { ...update, current: await requireTask(db, current.id), isUnlinked };
}

/** One reading of a file: how it is called, when, and whether what it finishes is to be verified. */
export type Reading = { file: string; at: number; verify: boolean };

export async function updateFromSource(
  db: Writer,
  update: Linked,
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
  const body = importedComment({ status: 'pending', said: '' }, await unsaid(db, update), file);
  if (body !== null) await say(db, current.id, body, at);
  const notes = [
    ...(note === null ? [] : [note]),
    ...owned.map(
      (name) => `${task.id} has its ${name} from .ralph/tasks.yaml; what ${file} says was left out.`,
    ),
  ];
  return {
    isChanged: isUnlinked || isEdited || isMoved || body !== null,
    note: notes.length === 0 ? null : notes.join(' '),
  };
}

/** Where nobody knows what was read before, what the comments hold has been said. */
async function unsaid(db: Writer, { task, current, before }: Linked): Promise<Record<string, string>> {
  const changed = Object.entries(changedLeftovers(task, before));
  const comments = before === null && changed.length > 0 ? await commentsOfTask(db, current.id) : [];
  return Object.fromEntries(
    changed.filter(
      ([name, value]) => !comments.some(({ body }) => body.includes(name) && body.includes(value)),
    ),
  );
}

const isOwned = ({ defined }: StoredTask, field: string): boolean => defined?.includes(field) ?? false;

/** A field that the source gives no more goes back to its default. */
function changedInSource(before: Snapshot | null, { fields }: Snapshot): Partial<TaskFields> {
  if (before === null) return { ...fields };
  const defaults: Partial<TaskFields> = TASK_DEFAULTS;
  const names = new Set([...Object.keys(before.fields), ...Object.keys(fields)] as (keyof TaskFields)[]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before.fields[name]) !== JSON.stringify(fields[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, fields[name] ?? defaults[name]]));
}

const BACK: Partial<Record<Status, (db: Writer, task: StoredTask, at: number) => Promise<void>>> = {
  draft: approveTask,
  failed: retryTask,
  blocked: retryTask,
  skipped: retryTask,
  done: (db, task, at) => changeStatus(db, task, { cause: 'reopen', to: 'pending', at }),
};

/**
 * Closed there and open here: skipped, for only a gate makes a task done. Open again there: back into the queue, unless it was
 * done here, with a receipt.
 */
async function followStatus(
  db: Writer,
  { task, current, before, seen }: Linked,
  { file, at, verify }: Reading,
): Promise<{ isMoved: boolean; note: string | null }> {
  const stays = { isMoved: false, note: null };
  const [from, to] = [current.status, seen.status];
  if (from === to || before?.status === to || (isSatisfied(from) && isSatisfied(to))) return stays;
  const left = { isMoved: false, note: `${task.id} is ${task.said} in ${file}, and stays ${from} here.` };
  if (isSatisfied(to)) {
    if (from === 'in_progress') return left;
    await skipTask(db, current, at, verify);
    await say(db, current.id, `It is ${task.said} in ${file}, so it was skipped here.`, at);
    return { isMoved: true, note: null };
  }
  // Without a memory of what was read nobody can tell a change there from Ralph's own work.
  if (before === null) return stays;
  const goBack = BACK[from];
  const isProven = from === 'done' && (await findReceipt(db, current.id)) !== null;
  if (to !== 'pending' || goBack === undefined || isProven) return left;
  await goBack(db, current, at);
  await reopenFeatures(db, [current.feature], at);
  await say(db, current.id, `It is ${task.said} again in ${file}, so it is back in the queue.`, at);
  return { isMoved: true, note: null };
}

const say = (db: Writer, task_id: number, body: string, at: number): Promise<void> =>
  commentOn(db, task_id, { author: 'system', body, created: at });

/** What has no place of its own is said of the task, and that nobody here has proven what came in as done. */
export function importedComment(
  { status, said }: Pick<SourceTask, 'status' | 'said'>,
  leftovers: Readonly<Record<string, string>>,
  file: string,
): string | null {
  const fields = Object.entries(leftovers).map(([name, value]) =>
    value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`,
  );
  const parts = [
    ...(isSatisfied(status) ? [`It came in as ${said} from ${file}; Ralph has proven nothing of it.`] : []),
    ...(fields.length > 0 ? [`From ${file}:\n${fields.join('\n')}`] : []),
  ];
  return parts.length === 0 ? null : keepable(parts.join('\n\n'));
}

export function changedLeftovers(task: SourceTask, before: Snapshot | null): Record<string, string> {
  const changed = Object.entries(task.leftovers).filter(([name, value]) => before?.leftovers[name] !== value);
  return Object.fromEntries(changed);
}

/** What definition files say of where tasks came from. Answers with the tasks that got one they did not have. */
export async function addReferences(
  db: Writer,
  matched: readonly { id: number; definition: TaskDefinition }[],
): Promise<Set<number>> {
  const given = matched.flatMap(({ id, definition }) =>
    (definition.references ?? []).map((reference) => ({ ...reference, task_id: id, at: definition.at })),
  );
  if (given.length === 0) return new Set();
  const keyOf = ({ source, board, id }: Reference): string => JSON.stringify([source, board, id]);
  const owners = new Map((await allReferences(db)).map((one) => [keyOf(one), one.task_id]));
  const fresh: StoredReference[] = [];
  for (const { at, ...reference } of given) {
    const owner = owners.get(keyOf(reference));
    if (owner !== undefined && owner !== reference.task_id)
      throw new Refusal(
        `${at}: ${reference.source} ${reference.id} is where task ${owner} came from already.`,
      );
    if (owner === undefined) fresh.push({ ...reference, seen: null });
    owners.set(keyOf(reference), reference.task_id);
  }
  await insertReferences(db, fresh);
  return new Set(fresh.map(({ task_id }) => task_id));
}
