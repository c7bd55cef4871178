import type { Graph } from '../../domain/graph/picture.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { type GraphFilter, graphTasks } from '../../store/tasks/task-graph.ts';
import { findStatuses } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireFeature, requireTask } from '../require.ts';

export const graph = (queue: Queue, filter: GraphFilter): Promise<Graph> =>
  queue.store.read(async (db) => {
    if (filter.around !== undefined) await requireTask(db, filter.around);
    if (filter.feature !== undefined) await requireFeature(db, filter.feature);
    const tasks = await graphTasks(db, filter);
    const taskIds = new Set(tasks.map(({ id }) => id));
    const others = new Set(tasks.flatMap(({ depends_on }) => depends_on.filter((id) => !taskIds.has(id))));
    const statuses = await findStatuses(db, [...others]);
    const open = [...statuses].filter(([, status]) => !isSatisfied(status)).map(([id]) => id);
    return { tasks, elsewhere: open.sort((a, b) => a - b) };
  });
