// A foreign backlog comes in: new tasks with where they come from, known ones with what their source has changed since.
import type { Backlog, ImportReport, Snapshot, SourceTask } from '../domain/backlog.ts';
import { boardOf } from '../domain/board.ts';
import type { TaskDefinition } from '../domain/definition.ts';
import { decideLinks, type Links } from '../domain/links.ts';
import { isSatisfied } from '../domain/status.ts';
import { TASK_DEFAULTS } from '../domain/task.ts';
import type { Writer } from '../store/database.ts';
import { listDisciplines } from '../store/disciplines.ts';
import { insertReferences, referencesOf, rememberSeen, type StoredReference } from '../store/references.ts';
import { allEdges } from '../store/task-dependencies.ts';
import { findTasks, nextTaskId, type StoredTask } from '../store/tasks.ts';
import { insertFresh } from './apply-task-definitions.ts';
import { completeFeature } from './complete-feature.ts';
import { importFeatures } from './import-features.ts';
import { changedLeftovers, importedComment } from './imported-comment.ts';
import type { Queue } from './queue.ts';
import { updateFromSource, withoutGoneLinks } from './update-from-source.ts';

/** `file`: how the person named it, for comments and for a board without a name. */
export function importBacklog(queue: Queue, backlog: Backlog, file: string): Promise<ImportReport> {
  const at = queue.now();
  return queue.store.write((db) => importWithin(db, backlog, file, at));
}

/** The same inside of a transaction that does more. */
export async function importWithin(
  db: Writer,
  backlog: Backlog,
  file: string,
  at: number,
): Promise<ImportReport> {
  const { matched, board, known, problems, links } = await matchBacklog(db, backlog, file);
  const features = await importFeatures(db, backlog.features, file, at);
  const disciplines = new Set((await listDisciplines(db)).map(({ name }) => name));
  const imported = matched.map((one) => {
    const { task, problem } = withKnownDiscipline(one.task, disciplines);
    return { ...one, task, problem, seen: snapshotOf(one.id, task, links) };
  });
  const fresh = imported.filter(({ current }) => current === null);
  await insertFresh(
    db,
    fresh.map(({ id, task, seen }) => ({ id, current: undefined, ...freshTask(task, seen, file) })),
    'import',
    at,
  );
  await insertReferences(
    db,
    fresh.map(({ id, task, seen }) => ({
      source: backlog.source,
      board,
      id: task.id,
      task_id: id,
      seen,
    })),
  );
  const finished = fresh
    .filter(({ task }) => isSatisfied(task.status))
    .map(({ task }) => task.fields.feature);
  // Nobody here has to verify what was done elsewhere.
  for (const { name, status } of backlog.features)
    if (status === null && finished.includes(name))
      await completeFeature(db, { ...TASK_DEFAULTS, feature: name }, { verify: false, at });
  const updates = imported.flatMap(({ current, ...one }) =>
    current === null ? [] : [{ ...one, current, before: known.get(one.task.id)?.seen ?? null }],
  );
  const notes: string[] = [];
  const counts = { added: fresh.length, updated: 0, unchanged: 0 };
  const linked = [];
  for (const one of updates) linked.push(await withoutGoneLinks(db, one, at));
  for (const one of linked) {
    const { isChanged, note } = await updateFromSource(db, one, file, at);
    counts[isChanged ? 'updated' : 'unchanged'] += 1;
    if (note !== null) notes.push(note);
    if (JSON.stringify(one.before) !== JSON.stringify(one.seen))
      await rememberSeen(db, { source: backlog.source, board, id: one.task.id }, one.seen);
  }
  const said = imported.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  const inFile = new Set(matched.map(({ id }) => id));
  return {
    source: backlog.source,
    board,
    ...counts,
    features: features.counts,
    mapped: backlog.mapped,
    kept: keptFields([
      ...fresh.map(({ task }) => task.leftovers),
      ...linked.map(({ task, before }) => changedLeftovers(task, before)),
    ]),
    problems: [...backlog.problems, ...problems, ...features.problems, ...said, ...notes],
    gone: [...new Set([...known.values()].map(({ task_id }) => task_id))]
      .filter((id) => !inFile.has(id))
      .sort((a, b) => a - b),
  };
}

type MatchedTask = { id: number; task: SourceTask; current: StoredTask | null };

/** Which task each entry is, by what was kept of earlier readings, and which of its links can be had. */
export async function matchBacklog(
  db: Writer,
  backlog: Backlog,
  file: string,
): Promise<{
  matched: readonly MatchedTask[];
  board: string;
  known: ReadonlyMap<string, StoredReference>;
  problems: readonly string[];
  links: Links;
}> {
  const references = await referencesOf(db, backlog.source);
  const tasks = new Map(
    (await findTasks(db, [...new Set(references.map(({ task_id }) => task_id))])).map((task) => [
      task.id,
      task,
    ]),
  );
  const board = boardOf(backlog, titlesByBoard(references, tasks), file);
  const known = new Map(references.filter((one) => one.board === board).map((one) => [one.id, one]));
  let nextId = await nextTaskId(db);
  const matched = backlog.tasks.map((task) => {
    const id = known.get(task.id)?.task_id ?? nextId++;
    return { id, task, current: tasks.get(id) ?? null };
  });
  const ids = new Map([
    ...[...known].map(([id, { task_id }]) => [id, task_id] as const),
    ...matched.map(({ id, task }) => [task.id, id] as const),
  ]);
  const { linked, problems } = resolveLinks(matched, ids);
  const fixed = new Map<number, readonly number[]>(await allEdges(db));
  for (const { id, task, current } of matched) {
    const gave = new Set(known.get(task.id)?.seen?.depends_on ?? []);
    if (current !== null)
      fixed.set(
        id,
        current.depends_on.filter((one) => !gave.has(one)),
      );
  }
  const links = decideLinks(linked, fixed, backlog.partsFirst);
  return { matched, board, known, problems: [...problems, ...links.problems], links };
}

function titlesByBoard(
  references: readonly StoredReference[],
  tasks: ReadonlyMap<number, StoredTask>,
): Map<string, Map<string, string>> {
  const boards = new Map<string, Map<string, string>>();
  for (const { board, id, task_id, seen } of references) {
    const titles = boards.get(board) ?? new Map<string, string>();
    titles.set(id, seen?.fields.title ?? tasks.get(task_id)?.title ?? '');
    boards.set(board, titles);
  }
  return boards;
}

function resolveLinks(matched: readonly MatchedTask[], ids: ReadonlyMap<string, number>) {
  const problems: string[] = [];
  const linked = matched.map(({ id, task }) => {
    const depends_on: number[] = [];
    for (const other of task.depends_on) {
      const found = ids.get(other);
      if (found === id) problems.push(`${task.id} depends on itself; that link was left out.`);
      else if (found === undefined)
        problems.push(`${task.id} depends on ${other}, which is not there; that link was left out.`);
      else depends_on.push(found);
    }
    const parent = task.parent === null ? null : (ids.get(task.parent) ?? null);
    if (task.parent !== null && parent === null)
      problems.push(`${task.id} is part of ${task.parent}, which is not there; it came in without a parent.`);
    if (parent === id) problems.push(`${task.id} is its own parent; it came in without one.`);
    return { id, name: task.id, parent: parent === id ? null : parent, depends_on };
  });
  return { linked, problems };
}

export const snapshotOf = (id: number, task: SourceTask, links: Links): Snapshot => ({
  fields: { ...task.fields, parent: links.parents.get(id) ?? null },
  depends_on: links.depends_on.get(id) ?? [],
  status: task.status,
  leftovers: task.leftovers,
});

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
    problem: `${task.id} names the discipline ${discipline}, which is not there; it is kept as a comment.`,
  };
}

function freshTask(
  task: SourceTask,
  seen: Snapshot,
  file: string,
): { definition: TaskDefinition; wanted: readonly number[] } {
  const { created, updated, completed } = task.times;
  const body = importedComment(task, task.leftovers, file);
  const definition = {
    at: `${file}: ${task.id}`,
    fields: { ...seen.fields, title: task.fields.title },
    depends_on: seen.depends_on,
    state: {
      status: task.status,
      blocked_by: task.blocked_by,
      ...(created !== undefined && { created }),
      ...(updated !== undefined && { updated }),
      ...(completed !== undefined && { completed }),
      ...(body !== null && { comments: [{ author: 'system' as const, body }] }),
    },
  };
  return { definition, wanted: seen.depends_on };
}

function keptFields(all: readonly Readonly<Record<string, string>>[]): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const leftovers of all) for (const name of Object.keys(leftovers)) kept[name] = (kept[name] ?? 0) + 1;
  return kept;
}
