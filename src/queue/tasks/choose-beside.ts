// Chooses the next task beside running ones: the first that will probably change other files than they do.
import type { Reader, Writer } from '../../store/database.ts';
import { conflictsInARow } from '../../store/sessions/conflicts.ts';
import { firstReady } from '../../store/tasks/claim.ts';
import { findTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import { filesWrittenForFeature, filesWrittenForTasks } from '../../store/tasks/written-files.ts';

/** Enough to find one that is apart; more would only put the order of the queue aside. */
const MAX_READY = 20;

/** Older sessions of a feature tell little about its next one. */
const SESSIONS_OF_FEATURE = 5;

type ChoiceInput = {
  /** The tasks that run now. */
  beside: readonly number[];
  except: readonly number[];
  passedOver: ReadonlyMap<number, number>;
};

/** `passed_over`: ready tasks that come before it. */
type Choice = { task_id: number; passed_over: readonly number[] };

export async function chooseBeside(
  db: Writer,
  now: number,
  { beside, except, passedOver }: ChoiceInput,
): Promise<Choice | null> {
  const ready = await firstReady(db, now, except, MAX_READY);
  const running = await findTasks(db, beside);
  const files = await taskFiles(db, [...ready, ...running]);
  const filesByTask = (id: number): TaskFiles => files.get(id) ?? { files: [], guesses: [] };
  const ids = ready.map(({ id }) => id);
  const conflicts = await conflictsInARow(db, ids);
  const task_id = chooseTask(
    ids.map((id) => ({
      id,
      ...filesByTask(id),
      passed_over: passedOver.get(id) ?? 0,
      conflicts: conflicts.get(id) ?? 0,
    })),
    running.map(({ id }) => filesByTask(id)),
  );
  return task_id === null ? null : { task_id, passed_over: ids.slice(0, ids.indexOf(task_id)) };
}

type Described = Pick<StoredTask, 'id' | 'feature' | 'output_artifacts'>;

/** By task: the files that it changes or may change. */
export async function taskFiles(db: Reader, tasks: readonly Described[]): Promise<Map<number, TaskFiles>> {
  const written = await filesWrittenForTasks(
    db,
    tasks.map(({ id }) => id),
  );
  const usual = new Map<string | null, readonly string[]>([[null, []]]);
  for (const { feature } of tasks)
    if (feature !== null && !usual.has(feature))
      usual.set(feature, await filesWrittenForFeature(db, feature, SESSIONS_OF_FEATURE));
  return new Map(
    tasks.map(({ id, feature, output_artifacts }) => [
      id,
      { files: [...output_artifacts, ...(written.get(id) ?? [])], guesses: usual.get(feature) ?? [] },
    ]),
  );
}

// Chooses the task to run beside others. Two sessions that change the same file cost a conflict, which is a whole session.

export type TaskFiles = {
  /** The files that it changes: what it is to produce, and what its earlier sessions wrote. */
  files: readonly string[];
  /** Files that it may change as well: what sessions of its feature usually write. */
  guesses: readonly string[];
};

export type ReadyTask = TaskFiles & {
  id: number;
  /** How often another task was chosen instead. */
  passed_over: number;
  /** How many of its last sessions in a row ended with a conflict. */
  conflicts: number;
};

/** As often other tasks may be chosen before it; from then on no task begins that would keep it waiting. */
const MAX_PASSED_OVER = 5;

/** After so many conflicts in a row, its guesses count like files. */
const MANY_CONFLICTS = 2;

/**
 * `ready`: in the order of claims. Null if every ready task has to wait for the files of one that runs: an idle slot costs less than
 * a session whose work does not fit. A mere guess lets no slot idle.
 */
export function chooseTask(ready: readonly ReadyTask[], running: readonly TaskFiles[]): number | null {
  const taken = new Set(running.flatMap(({ files }) => files));
  const perhapsTaken = new Set(running.flatMap(likelyFiles));
  const reserved = new Set<string>();
  const free: ReadyTask[] = [];
  for (const task of ready) {
    const waits =
      overlaps(task.files, taken) ||
      overlaps(task.files, reserved) ||
      (task.conflicts >= MANY_CONFLICTS && overlaps(likelyFiles(task), perhapsTaken));
    if (!waits) free.push(task);
    else if (isDue(task)) for (const file of likelyFiles(task)) reserved.add(file);
  }
  const best = free.find((task) => isDue(task) || !overlaps(likelyFiles(task), perhapsTaken));
  return (best ?? free[0])?.id ?? null;
}

const isDue = ({ passed_over }: ReadyTask): boolean => passed_over >= MAX_PASSED_OVER;

const likelyFiles = ({ files, guesses }: TaskFiles): string[] => [...files, ...guesses];

const overlaps = (files: readonly string[], others: ReadonlySet<string>): boolean =>
  files.some((file) => others.has(file));
