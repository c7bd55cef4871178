// Which agents the queue needs: that of one task, and those of all that is open.
import type { Config } from '../../domain/config.ts';
import {
  type AgentChoice,
  type AgentDecision,
  agentsInUse,
  chooseAgent,
} from '../../domain/sessions/choose-agent.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { findDiscipline, listDisciplines } from '../../store/tasks/disciplines.ts';
import { findAgentNames } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requestedModel } from './sessions.ts';

export type AgentConfiguration = AgentChoice['config'];

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
