// Finds dependencies that seem to be missing: one task names a file that another one writes. A person decides about each.
import type { Edges } from '../tasks/dag.ts';
import type { Task, TaskFields } from '../tasks/task.ts';

export type PlannedTask = Pick<Task, 'id' | 'depends_on'> &
  Pick<
    TaskFields,
    | 'title'
    | 'description'
    | 'parent'
    | 'hints'
    | 'pseudocode'
    | 'acceptance_criteria'
    | 'context_files'
    | 'output_artifacts'
  >;

/** `isShared`: both write the file, so one has to come first. Otherwise the one reads what the other writes. */
export type InferredDependency = { task_id: number; depends_on: number; file: string; isShared: boolean };

/** A file that many tasks write, such as a list of exports, says nothing about their order. */
const MAX_WRITERS = 5;
const MAX_INFERRED = 50;

/**
 * For the tasks in `about`, among all open ones in the order of their ids. Proposes no pair that is linked already, directly or
 * not, and no cycle, even if all proposals are accepted.
 */
export function inferDependencies(
  tasks: readonly PlannedTask[],
  about: ReadonlySet<number>,
): InferredDependency[] {
  const ordered = [...tasks].sort((one, other) => one.id - other.id);
  const writers = writersByFile(ordered);
  const edges = new Map(ordered.map(({ id, depends_on }) => [id, [...depends_on]]));
  const inferred: InferredDependency[] = [];
  for (const task of ordered) {
    if (!about.has(task.id)) continue;
    const own = new Set(task.output_artifacts.map(plainPath));
    for (const file of namedFiles(task)) {
      const isShared = own.has(file);
      for (const writer of writers.get(file) ?? []) {
        if (inferred.length === MAX_INFERRED) return inferred;
        // Of two tasks that write a file, the later one waits.
        if (writer.id === task.id || (isShared && writer.id > task.id) || areFamily(task, writer)) continue;
        if (reaches(edges, task.id, writer.id) || reaches(edges, writer.id, task.id)) continue;
        edges.get(task.id)?.push(writer.id);
        inferred.push({ task_id: task.id, depends_on: writer.id, file, isShared });
      }
    }
  }
  return inferred;
}

function writersByFile(tasks: readonly PlannedTask[]): Map<string, PlannedTask[]> {
  const writers = new Map<string, PlannedTask[]>();
  for (const task of tasks)
    for (const file of new Set(task.output_artifacts.map(plainPath)))
      writers.set(file, [...(writers.get(file) ?? []), task]);
  for (const [file, all] of writers) if (all.length > MAX_WRITERS) writers.delete(file);
  return writers;
}

/** Words of a text that may be paths; a sentence may end right after one. */
const PATHS = /[\p{L}\p{N}_@~./-]*[\p{L}\p{N}_]/gu;

function namedFiles(task: PlannedTask): Set<string> {
  const { title, description, hints, pseudocode, acceptance_criteria } = task;
  const text = [title, description, hints, pseudocode, ...acceptance_criteria].join('\n');
  const files = [...task.output_artifacts, ...task.context_files, ...(text.match(PATHS) ?? [])];
  return new Set(files.map(plainPath));
}

const plainPath = (path: string): string => path.trim().replace(/^(?:\.\/)+/, '');

const areFamily = (one: PlannedTask, other: PlannedTask): boolean =>
  one.parent === other.id || other.parent === one.id;

function reaches(edges: Edges<number>, from: number, goal: number): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === goal) return true;
    for (const next of edges.get(id) ?? []) seen.add(next);
  }
  return false;
}
