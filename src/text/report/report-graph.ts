import type { Graph } from '../../domain/graph/picture.ts';
import { buildPicture, type GraphPicture } from '../../domain/graph/picture.ts';
import type { Report } from '../../queue/sessions/report.ts';

/** Past that many only the run's own tasks are worth their place. */
const MOST_TASKS = 300;

/** The tasks of a run as they are now, and those that they wait for. */
export function runPicture({ tasks }: Graph, report: Report, now: number): GraphPicture {
  const own = new Set(report.tasks.map(({ id }) => id));
  const ownTasks = tasks.filter(({ id }) => own.has(id));
  const others = new Set(ownTasks.flatMap(({ depends_on }) => depends_on.filter((id) => !own.has(id))));
  const isAll = ownTasks.length + others.size <= MOST_TASKS;
  return buildPicture(
    {
      tasks: isAll ? tasks.filter(({ id }) => own.has(id) || others.has(id)) : ownTasks,
      elsewhere: isAll ? [] : [...others],
    },
    { all: true, around: null, now },
  );
}
