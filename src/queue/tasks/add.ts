import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { isSatisfied, stateName } from '../../domain/tasks/status.ts';
import { TASK_DEFAULTS, type Task, type TaskFields } from '../../domain/tasks/task.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { findTasksByTitle, nextTaskId, type StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { retryTask } from './decide.ts';
import { insertTaskEntries, newState } from './insert-tasks.ts';

type NewTaskInput = Partial<TaskFields> & {
  title: string;
  /** By id, by position in the batch (`@1` is the first), or by title of a task in the batch or the queue. */
  depends_on?: readonly (number | string)[];
  draft?: boolean;
};

/** Refuses a title that an open task, or any task, already has: planning twice means the same tasks. */
type Unique = { unique?: 'open' | 'ever' };

/** Adds all of them or none. */
export function addTasks(
  queue: Queue,
  inputs: readonly NewTaskInput[],
  unique: Unique = {},
): Promise<Task[]> {
  const at = queue.now();
  return queue.store.write((db) => addTasksWithin(db, inputs, unique, at));
}

/** `addTasks` inside an open transaction. */
export async function addTasksWithin(
  db: Writer,
  inputs: readonly NewTaskInput[],
  { unique }: Unique,
  at: number,
): Promise<StoredTask[]> {
  if (unique !== undefined) await requireNew(db, inputs, unique);
  const first = await nextTaskId(db);
  const batch = new Map(
    inputs.flatMap(({ title }, index) => [
      [`@${index + 1}`, first + index],
      [title.trim(), first + index],
    ]),
  );
  const entries = [];
  for (const [index, { depends_on = [], draft = false, ...fields }] of inputs.entries()) {
    const id = first + index;
    const label = inputs.length === 1 ? `Task ${id}` : `Task "${fields.title}"`;
    entries.push({
      id,
      label,
      fields: { ...TASK_DEFAULTS, ...fields },
      depends_on: depends_on.length === 0 ? [] : await resolve(db, label, depends_on, batch),
      state: newState(draft ? 'draft' : 'pending', at),
      defined: null,
    });
  }
  return insertTaskEntries(db, entries, at);
}

export async function addTask(queue: Queue, input: NewTaskInput): Promise<Task> {
  const [task] = await addTasks(queue, [input]);
  if (task === undefined) throw new Error('addTasks answered with nothing');
  return task;
}

async function requireNew(
  db: Writer,
  inputs: readonly NewTaskInput[],
  unique: 'open' | 'ever',
): Promise<void> {
  const titles = inputs.map(({ title }) => title.trim());
  const twice = titles.find((title, index) => titles.indexOf(title) < index);
  if (twice !== undefined)
    throw new Refusal(`"${twice}" is in the batch twice; give each task its own title.`);
  for (const title of titles) {
    const twins = await findTasksByTitle(db, title);
    const twin = unique === 'ever' ? twins.at(-1) : twins.find(({ status }) => !isSatisfied(status));
    if (twin !== undefined)
      throw new Refusal(
        `Task ${twin.id} (${stateName(twin.status)}) already has the title "${title}"; leave it out of the batch, or give the new task another title.`,
      );
  }
}

async function resolve(
  db: Writer,
  label: string,
  references: readonly (number | string)[],
  batch: ReadonlyMap<string, number>,
): Promise<number[]> {
  const ids: number[] = [];
  for (const reference of references) {
    const id = typeof reference === 'number' ? reference : await findByTitle(db, reference.trim(), batch);
    if (id === null)
      throw new Refusal(
        `${label} depends on "${reference}", but no task of the batch or the queue has that title.`,
      );
    ids.push(id);
  }
  return [...new Set(ids)];
}

async function findByTitle(
  db: Writer,
  title: string,
  batch: ReadonlyMap<string, number>,
): Promise<number | null> {
  return batch.get(title) ?? (await findTasksByTitle(db, title)).at(-1)?.id ?? null;
}

// The task that makes failing gates pass before Ralph works on any other task.

/** Returns the task's id. Reuses the open task of an earlier run; a failed one is retried. */
export function addBaselineTask(queue: Queue, red: readonly GateResult[]): Promise<number> {
  const names = red.map(({ name }) => name);
  const title = `Make the ${names.length === 1 ? 'gate' : 'gates'} ${names.join(', ')} pass`;
  const outputs = red.map((gate) => `${gate.name} (${gate.command}): ${firstFailure(gate)}\n\n${gate.tail}`);
  const at = queue.now();
  return queue.store.write(async (db) => {
    const open = (await findTasksByTitle(db, title)).find(({ status }) => !isSatisfied(status));
    if (open?.status === 'failed') await retryTask(db, open, at);
    if (open !== undefined) return open.id;
    const [task] = await addTasksWithin(
      db,
      [
        {
          title,
          description: toStorable(
            `These gates fail before any work has begun. Find the cause and repair it: it may be in the project's files or in what is installed. Do not change what the gates check. The task is done when they pass.\n\n${outputs.join('\n\n')}`,
          ),
          // The repair may change no file of the tree, for example if dependencies are missing.
          kind: 'investigate',
          priority: 'critical',
          provenance: 'system',
          tags: ['baseline'],
        },
      ],
      {},
      at,
    );
    if (task === undefined) throw new Error('addWithin answered with nothing');
    return task.id;
  });
}
