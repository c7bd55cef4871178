import { TASK_DEFAULTS, type Task, type TaskFields } from '../domain/task.ts';
import { nextTaskId } from '../store/tasks.ts';
import { insertTaskEntries, newState } from './insert-tasks.ts';
import type { Queue } from './queue.ts';

export type NewTaskInput = Partial<TaskFields> & {
  title: string;
  depends_on?: readonly number[];
  draft?: boolean;
};

/** All of them or none. Ids are handed out in order, so a batch may not refer to itself here. */
export function addTasks(queue: Queue, inputs: readonly NewTaskInput[]): Promise<Task[]> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const first = await nextTaskId(db);
    const entries = inputs.map(({ depends_on = [], draft = false, ...fields }, index) => ({
      id: first + index,
      label: `Task ${first + index}`,
      fields: { ...TASK_DEFAULTS, ...fields },
      depends_on: [...new Set(depends_on)],
      state: newState(draft ? 'draft' : 'pending', at),
      defined: null,
    }));
    return insertTaskEntries(db, entries, at);
  });
}

export async function addTask(queue: Queue, input: NewTaskInput): Promise<Task> {
  const [task] = await addTasks(queue, [input]);
  if (task === undefined) throw new Error('addTasks answered with nothing');
  return task;
}
