import type { Graph, GraphPicture } from '../../domain/graph/picture.ts';
import { buildPicture } from '../../domain/graph/picture.ts';
import type { Report } from '../../queue/sessions/report.ts';

/** In a larger graph only the run's own tasks are shown. */
const MAX_TASKS = 300;

/** The tasks of a run in their current state, and the tasks that they wait for. */
export function runPicture({ tasks }: Graph, report: Report, now: number): GraphPicture {
  const own = new Set(report.tasks.map(({ id }) => id));
  const ownTasks = tasks.filter(({ id }) => own.has(id));
  const others = new Set(ownTasks.flatMap(({ depends_on }) => depends_on.filter((id) => !own.has(id))));
  const isAll = ownTasks.length + others.size <= MAX_TASKS;
  return buildPicture(
    {
      tasks: isAll ? tasks.filter(({ id }) => own.has(id) || others.has(id)) : ownTasks,
      elsewhere: isAll ? [] : [...others],
    },
    { all: true, around: null, now },
  );
}
