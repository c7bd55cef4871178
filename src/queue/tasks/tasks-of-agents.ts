// Which ready tasks are those of certain agents.
import type { ChosenAgent } from '../../domain/sessions/choose-agent.ts';
import { readyTasks } from '../../store/tasks/claim.ts';
import type { Queue } from '../queue.ts';

const PAGE = 200;
/** A claim looks at no more tasks than that. */
const ENOUGH = 20;

/** Until it has seen enough ready tasks of other agents, in the order of claims. */
export async function tasksOfAgents(
  queue: Queue,
  agents: readonly string[],
  choose: (task: Awaited<ReturnType<typeof readyTasks>>[number]) => Promise<ChosenAgent>,
): Promise<number[]> {
  const found: number[] = [];
  let others = 0;
  for (let page = 0; ; page++) {
    const tasks = await queue.store.read((db) =>
      readyTasks(db, queue.now(), { offset: page * PAGE, limit: PAGE }),
    );
    for (const task of tasks)
      if (agents.includes((await choose(task)).agent)) found.push(task.id);
      else others += 1;
    if (tasks.length < PAGE || others >= ENOUGH) return found;
  }
}
