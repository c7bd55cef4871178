import { join } from 'node:path';
import { FEATURE_DEFAULTS } from '../../src/domain/tasks/feature.ts';
import { TASK_DEFAULTS } from '../../src/domain/tasks/task.ts';
import { openQueue, type Queue } from '../../src/queue/queue.ts';
import { insertTaskEntries, newState } from '../../src/queue/tasks/insert-tasks.ts';
import { saveFeature } from '../../src/store/tasks/features.ts';

export type Shape = {
  depends_on: (id: number, size: number) => number[];
  feature?: (id: number) => string;
  not_before?: (id: number, size: number) => number | null;
};

/** A queue of this size and shape; ids run from 1. */
export async function fill(folder: string, name: string, size: number, shape: Shape): Promise<Queue> {
  const queue = await openQueue(join(folder, `${name}-${size}.db`));
  await fillQueue(queue, size, shape);
  return queue;
}

export async function fillQueue(
  queue: Queue,
  size: number,
  { depends_on, feature, not_before }: Shape,
): Promise<void> {
  const ids = Array.from({ length: size }, (_, index) => index + 1);
  const features = new Set(feature === undefined ? [] : ids.map(feature));
  await queue.store.write(async (db) => {
    for (const one of features) {
      await saveFeature(db, {
        name: one,
        ...FEATURE_DEFAULTS,
        added_files: [],
        status: 'active',
        created: 1,
        updated: 1,
        defined: null,
      });
    }
    const entries = ids.map((id) => ({
      id,
      label: `Task ${id}`,
      fields: { ...TASK_DEFAULTS, title: `Task ${id}`, feature: feature?.(id) ?? null },
      depends_on: depends_on(id, size),
      state: { ...newState('pending', 1), not_before: not_before?.(id, size) ?? null },
      defined: null,
    }));
    await insertTaskEntries(db, entries, 1);
  });
}
