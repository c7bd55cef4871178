// Which agents the queue needs: that of one task, and those of all that is open.
import type { Config } from '../../domain/config.ts';
import {
  type AgentChoice,
  type AgentDecision,
  agentsInUse,
  chooseAgent,
} from '../../domain/sessions/choose-agent.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { type ReadyTask, readyTasks } from '../../store/tasks/claim.ts';
import { findDiscipline, listDisciplines } from '../../store/tasks/disciplines.ts';
import { findAgentNames } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requestedModel } from './sessions.ts';

type AgentConfiguration = AgentChoice['config'];

/** `fixed`: what the person asked for on the command line. `parked`: agents that may start nothing now. */
export async function taskAgent(
  queue: Queue,
  config: AgentConfiguration,
  task: Pick<Task, 'id' | 'discipline' | 'agent' | 'model' | 'attempts' | 'stuck_count'>,
  { fixed, parked }: Pick<AgentChoice, 'fixed' | 'parked'> = {},
): Promise<AgentDecision> {
  const { discipline: name } = task;
  const discipline = name === null ? null : await queue.store.read((db) => findDiscipline(db, name));
  const last = await requestedModel(queue, task.id);
  return chooseAgent({
    requestedModel: last,
    task,
    discipline,
    config,
    ...(fixed && { fixed }),
    ...(parked && { parked }),
  });
}

/** Every agent that the configuration, a discipline or an open task names, each once. */
export const queueAgents = (
  queue: Queue,
  config: AgentConfiguration & Pick<Config, 'review'>,
): Promise<string[]> =>
  queue.store.read(async (db) =>
    agentsInUse(config, [...(await listDisciplines(db)), ...(await findAgentNames(db))]),
  );

// Which ready tasks are those of certain agents.

/** The first look is at so many tasks; only if that is not enough, another one is at all of them. */
const FIRST = 200;
/** A claim looks at no more tasks than that. */
const ENOUGH = 20;

/** Until it has seen enough ready tasks of other agents, in the order of claims. At most three queries, however many tasks there are. */
export const tasksOfAgents = (
  queue: Queue,
  agents: readonly string[],
  config: AgentConfiguration,
  fixed: AgentChoice['fixed'],
): Promise<number[]> =>
  queue.store.read(async (db) => {
    const disciplines = new Map((await listDisciplines(db)).map((one) => [one.name, one]));
    const chosen = (task: ReadyTask): string =>
      chooseAgent({
        requestedModel: task.requested,
        task,
        discipline: disciplines.get(task.discipline ?? '') ?? null,
        config,
        parked: agents,
        ...(fixed && { fixed }),
      }).agent;
    const now = queue.now();
    const first = await readyTasks(db, now, { after: 0, limit: FIRST });
    const held = first.filter((task) => agents.includes(chosen(task)));
    const isEnough = first.length < FIRST || first.length - held.length >= ENOUGH;
    const rest = isEnough ? [] : await readyTasks(db, now, { after: FIRST, limit: null });
    return [...held, ...rest.filter((task) => agents.includes(chosen(task)))].map(({ id }) => id);
  });
