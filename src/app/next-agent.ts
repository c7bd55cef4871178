// Who would work on a task next, for people who look at it.
import { Refusal } from '../domain/refusal.ts';
import type { AgentDecision } from '../domain/sessions/choose-agent.ts';
import { isSatisfied } from '../domain/tasks/status.ts';
import type { Task } from '../domain/tasks/task.ts';
import { readConfig } from '../project/read-config.ts';
import { taskAgent } from '../queue/sessions/task-agent.ts';
import type { Project } from './open-project.ts';

/** Null if the task needs none, or if the configuration cannot be read: other commands say that. */
export async function nextAgent(
  { queue, root }: Pick<Project, 'queue' | 'root'>,
  task: Task,
): Promise<AgentDecision | null> {
  if (isSatisfied(task.status)) return null;
  try {
    return await taskAgent(queue, await readConfig(root), task);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
