// Who would work on a task next, for people who look at it.
import { Refusal } from '../domain/refusal.ts';
import { type AgentDecision, decisionText } from '../domain/sessions/choose-agent.ts';
import { parkedText } from '../domain/sessions/parked-agents.ts';
import { isSatisfied } from '../domain/tasks/status.ts';
import type { Task } from '../domain/tasks/task.ts';
import { readConfig } from '../project/read-config.ts';
import { parkedAgents } from '../queue/sessions/runs.ts';
import { taskAgent } from '../queue/sessions/task-agent.ts';
import type { Project } from './open-project.ts';

/** `parked`: why that agent starts nothing now, as a run found it; null if none did. */
export type NextAgent = AgentDecision & { parked: string | null };

/** Null if the task needs none, or if the configuration cannot be read: other commands say that. */
export async function nextAgent(
  { queue, root }: Pick<Project, 'queue' | 'root'>,
  task: Task,
): Promise<NextAgent | null> {
  if (isSatisfied(task.status)) return null;
  try {
    const all = await parkedAgents(queue);
    // What one machine lacks, another may have.
    const everywhere = all.filter(({ host = null }) => host === null).map(({ agent }) => agent);
    const chosen = await taskAgent(queue, await readConfig(root), task, { parked: everywhere });
    const park = all.find(({ agent }) => agent === chosen.agent);
    const place = { from: chosen.from, task_id: task.id, discipline: task.discipline };
    return { ...chosen, parked: park === undefined ? null : parkedText(park, place) };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Such as `codex, as the task says`, and why it starts nothing now. */
export const nextAgentText = (agent: NextAgent): string =>
  `${decisionText(agent)}${agent.parked === null ? '' : `. That agent starts nothing now. ${agent.parked}`}`;
