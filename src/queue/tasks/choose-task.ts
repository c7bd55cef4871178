// Chooses the next task beside running ones: the first that will probably change other files than they do.
import { pickTask, type TaskFiles } from '../../domain/tasks/pick-task.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { conflictsInARow } from '../../store/sessions/conflicts.ts';
import { firstReady } from '../../store/tasks/claim.ts';
import { findTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import { filesWrittenForFeature, filesWrittenForTasks } from '../../store/tasks/written-files.ts';

/** Enough to find one that is apart; more would only put the order of the queue aside. */
const MAX_READY = 20;

/** Older sessions of a feature tell little about its next one. */
const SESSIONS_OF_FEATURE = 5;

export type ChoiceInput = {
  /** The tasks that run now. */
  beside: readonly number[];
  except: readonly number[];
  passedOver: ReadonlyMap<number, number>;
};

/** `passed_over`: ready tasks that come before it. */
export type Choice = { task_id: number; passed_over: readonly number[] };

export async function chooseBeside(
  db: Writer,
  now: number,
  { beside, except, passedOver }: ChoiceInput,
): Promise<Choice | null> {
  const ready = await firstReady(db, now, except, MAX_READY);
  const running = await findTasks(db, beside);
  const files = await taskFiles(db, [...ready, ...running]);
  const filesOf = (id: number): TaskFiles => files.get(id) ?? { files: [], guesses: [] };
  const ids = ready.map(({ id }) => id);
  const conflicts = await conflictsInARow(db, ids);
  const task_id = pickTask(
    ids.map((id) => ({
      id,
      ...filesOf(id),
      passed_over: passedOver.get(id) ?? 0,
      conflicts: conflicts.get(id) ?? 0,
    })),
    running.map(({ id }) => filesOf(id)),
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
