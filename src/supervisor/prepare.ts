// All that one session is given, written down before it begins.
import { join } from 'node:path';
import { sessionDir } from '../host/project.ts';
import { refOf, takeUp } from '../host/work-aside.ts';
import { writeFileWhole } from '../host/write-file.ts';
import type { Claim } from '../queue/claim.ts';
import { addComment } from '../queue/comment.ts';
import { disciplineDetails } from '../queue/features.ts';
import { show } from '../queue/show.ts';
import type { Plan } from './agent.ts';
import { mcpEntry } from './expand-variables.ts';
import { modelFor } from './ladder.ts';
import type { SupervisorInput } from './supervisor.ts';

export async function prepare(input: SupervisorInput, { task, session }: Claim): Promise<Plan> {
  const { queue, root, stateDir, env, config, ralph } = input;
  const folder = sessionDir(stateDir, session.id);
  const discipline = task.discipline === null ? null : await disciplineDetails(queue, task.discipline);
  await makeReady(input, task, session.id);
  const { system, prompt } = await input.writePrompt('task_execution', { task_id: task.id });
  await writeFileWhole(join(folder, 'system.md'), system, 0o600);
  await writeFileWhole(join(folder, 'prompt.md'), prompt, 0o600);
  const [command = '', ...args] = ralph;
  const own = {
    command,
    args: [...args, 'serve'],
    env: {
      RALPH_PROJECT: root,
      RALPH_SESSION_ID: session.id,
      RALPH_TASK_ID: String(task.id),
      RALPH_RECIPE: 'task_execution',
    },
    alwaysLoad: true,
  };
  const others = (discipline?.mcp_servers ?? []).map(
    (server) => [server.name, mcpEntry(server, env)] as const,
  );
  return {
    session_id: session.id,
    task_id: task.id,
    root,
    folder,
    model: input.limits.model ?? modelFor({ task, discipline, config }),
    max_turns: task.estimated_turns ?? config.limits.max_turns,
    budget_usd: config.limits.session_budget_usd,
    permissions: config.permissions,
    tools: discipline?.tools ?? [],
    system,
    prompt,
    // Ralph first: no other server may take its name.
    mcpServers: { ...Object.fromEntries(others), ralph: own },
    ralph,
  };
}

/** A failed task must not poison the gates of the next one, and finds its work again when it is retried. */
async function makeReady(input: SupervisorInput, task: Claim['task'], session_id: string): Promise<void> {
  const { queue, root, env, stateDir } = input;
  const isDone = async (id: number) => (await show(queue, id)).status === 'done';
  const { set_aside, left_out } = await takeUp({ root, env, stateDir }, task.id, session_id, isDone);
  if (set_aside !== null) input.tell({ kind: 'set_aside', task_id: set_aside });
  if (left_out.length > 0)
    await addComment(
      queue,
      task.id,
      `Of your earlier work these files were left out, because they changed meanwhile: ${left_out.join(', ')}. What you had made of them is in ${refOf(task.id)}.`,
    );
}
