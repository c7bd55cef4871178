// Chooses the agent of a task, and prepares its launch.
import type { AgentDecision, ChosenAgent } from '../../domain/sessions/choose-agent.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { sessionDir } from '../../host/session-folder.ts';
import { taskAgent } from '../../queue/sessions/task-agent.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { disciplineDetails } from '../../queue/tasks/features.ts';
import type { LaunchSpec } from '../agents/agent.ts';
import { buildLaunchSpec, mcpEntry } from '../agents/launch-spec.ts';
import type { OpenedGround } from '../ground/ground.ts';
import type { SupervisorInput } from '../input.ts';

export function chooseTaskAgent(
  { queue, config, limits }: Pick<SupervisorInput, 'queue' | 'config' | 'limits'>,
  task: Task,
  parked: readonly string[] = [],
): Promise<AgentDecision> {
  return taskAgent(queue, config, task, { fixed: limits, parked });
}

/** `left_usd`: the rest of the run's budget; no session may spend more. */
export async function prepare(
  input: SupervisorInput,
  { task, session }: Claim,
  { model }: ChosenAgent,
  left_usd: number,
  ground: Pick<OpenedGround, 'root' | 'env'>,
): Promise<LaunchSpec> {
  const { queue, stateDir, env, config } = input;
  const discipline = task.discipline === null ? null : await disciplineDetails(queue, task.discipline);
  return buildLaunchSpec(input, {
    session_id: session.id,
    client_id: session.id,
    about: { task_id: task.id, isLaunched: true },
    recipe: 'task_execution',
    folder: sessionDir(stateDir, session.id),
    model,
    effort: task.effort ?? discipline?.effort ?? config.effort,
    max_turns: task.estimated_turns ?? config.limits.max_turns,
    budget_usd: Math.min(config.limits.session_budget_usd, left_usd),
    tools: discipline?.tools ?? [],
    env: ground.env,
    root: ground.root,
    others: (discipline?.mcp_servers ?? []).map((server) => [server.name, mcpEntry(server, env)]),
  });
}
