// Matches another tool's backlog with the queue: tasks imported earlier, new tasks, and the links that are possible.
import { type Backlog, freeName, type Snapshot, type SourceTask } from '../../domain/exchange/backlog.ts';
import { type Links, resolveLinks } from '../../domain/exchange/resolve-links.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Writer } from '../../store/database.ts';
import { referencesBySource, type StoredReference } from '../../store/tasks/references.ts';
import { allEdges } from '../../store/tasks/task-dependencies.ts';
import { findTasks, nextTaskId, type StoredTask } from '../../store/tasks/tasks.ts';

type MatchedTask = { id: number; task: SourceTask; current: StoredTask | null };

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
  const references = await referencesBySource(db, backlog.source);
  const tasks = new Map(
    (await findTasks(db, [...new Set(references.map(({ task_id }) => task_id))])).map((task) => [
      task.id,
      task,
    ]),
  );
  const board = matchBoard(backlog, titlesByBoard(references, tasks), file);
  const knownReferences = new Map(
    references.filter((one) => one.board === board).map((one) => [one.id, one]),
  );
  let nextId = await nextTaskId(db);
  const matched = backlog.tasks.map((task) => {
    const id = knownReferences.get(task.id)?.task_id ?? nextId++;
    return { id, task, current: tasks.get(id) ?? null };
  });
  const ids = new Map([
    ...[...knownReferences].map(([id, { task_id }]) => [id, task_id] as const),
    ...matched.map(({ id, task }) => [task.id, id] as const),
  ]);
  const { linked, problems } = linkByIds(matched, ids);
  const fixed = new Map<number, readonly number[]>(await allEdges(db));
  for (const { id, task, current } of matched) {
    const fromSource = new Set(knownReferences.get(task.id)?.seen?.depends_on ?? []);
    if (current !== null)
      fixed.set(
        id,
        current.depends_on.filter((one) => !fromSource.has(one)),
      );
  }
  const links = resolveLinks(linked, fixed, backlog.partsFirst);
  return { matched, board, known: knownReferences, problems: [...problems, ...links.problems], links };
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

function linkByIds(matched: readonly MatchedTask[], ids: ReadonlyMap<string, number>) {
  const problems: string[] = [];
  const linked = matched.map(({ id, task }) => {
    const depends_on: number[] = [];
    for (const other of task.depends_on) {
      const found = ids.get(other);
      if (found === id) problems.push(`${task.id} depends on itself; that link was left out.`);
      else if (found === undefined)
        problems.push(`${task.id} depends on ${other}, which does not exist; that link was left out.`);
      else depends_on.push(found);
    }
    const parent = task.parent === null ? null : (ids.get(task.parent) ?? null);
    if (task.parent !== null && parent === null)
      problems.push(
        `${task.id} is part of ${task.parent}, which does not exist; Ralph imported it without a parent.`,
      );
    if (parent === id) problems.push(`${task.id} is its own parent; Ralph imported it without one.`);
    return {
      id,
      name: task.id,
      parent: parent === id ? null : parent,
      depends_on,
      isOpen: !isSatisfied(task.status),
      isDraft: task.status === 'draft',
    };
  });
  return { linked, problems };
}

export const toSnapshot = (id: number, task: SourceTask, links: Links): Snapshot => ({
  fields: { ...task.fields, parent: links.parents.get(id) ?? null },
  depends_on: links.depends_on.get(id) ?? [],
  status: task.status,
  leftovers: task.leftovers,
  ...(task.not_before !== null && { not_before: task.not_before }),
  ...(task.author !== null && { author: task.author }),
});

/** The titles at the last import, by board and then by the source's id. */
type KnownBoards = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Finds the board that a file is a newer state of. The path does not tell: people move files, and replace one by another under
 * the same name. So the best board is one that agrees in id and title on at least half of the smaller of the two. Otherwise it
 * is the board with the name that the file gives itself, or a new one.
 */
function matchBoard(
  { source, board, isOneBoard, tasks }: Pick<Backlog, 'source' | 'board' | 'isOneBoard' | 'tasks'>,
  boards: KnownBoards,
  fallback: string,
): string {
  if (isOneBoard) return board ?? source;
  let best: string | null = null;
  let bestCount = 0;
  for (const [name, titles] of boards) {
    const agreeing = tasks.filter(({ id, fields }) => titles.get(id) === fields.title).length;
    if (agreeing > bestCount && agreeing * 2 >= Math.min(tasks.length, titles.size)) {
      best = name;
      bestCount = agreeing;
    }
  }
  if (best !== null) return best;
  if (board !== null) return board;
  return freeName(fallback, boards);
}
