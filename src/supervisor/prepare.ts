// Prepares one session before it begins: its launch spec, and the work tree it starts from.

import { workRef } from '../host/git/refs.ts';
import type { TakenTree } from '../host/git/work-tree.ts';
import { sessionDir } from '../host/session-folder.ts';
import { recordBranch, reflogAction } from '../host/work/branch.ts';
import { restoreWork } from '../host/work/unfinished-work.ts';
import { requestedModel } from '../queue/sessions/sessions.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { addComment } from '../queue/tasks/comment.ts';
import { disciplineDetails } from '../queue/tasks/features.ts';
import { show } from '../queue/tasks/show.ts';
import type { LaunchSpec } from './agents/agent.ts';
import { buildLaunchSpec, mcpEntry, modelFor } from './agents/launch-spec.ts';
import type { OpenedGround } from './ground/ground.ts';
import type { GroundInput, SupervisorInput } from './input.ts';

/** `left_usd`: the rest of the run's budget; no session may spend more. */
export async function prepare(
  input: SupervisorInput,
  { task, session }: Claim,
  left_usd: number,
  ground: Pick<OpenedGround, 'root' | 'env'>,
): Promise<LaunchSpec> {
  const { queue, stateDir, env, config } = input;
  const discipline = task.discipline === null ? null : await disciplineDetails(queue, task.discipline);
  const lastRequest = await requestedModel(queue, task.id);
  return buildLaunchSpec(input, {
    session_id: session.id,
    client_id: session.id,
    about: { task_id: task.id, isLaunched: true },
    recipe: 'task_execution',
    folder: sessionDir(stateDir, session.id),
    model: input.limits.model ?? modelFor({ requestedModel: lastRequest, task, discipline, config }),
    effort: task.effort ?? discipline?.effort ?? config.effort,
    max_turns: task.estimated_turns ?? config.limits.max_turns,
    budget_usd: Math.min(config.limits.session_budget_usd, left_usd),
    tools: discipline?.tools ?? [],
    env: { ...ground.env, GIT_REFLOG_ACTION: reflogAction(session.id) },
    root: ground.root,
    others: (discipline?.mcp_servers ?? []).map((server) => [server.name, mcpEntry(server, env)]),
  });
}

/**
 * Sets other tasks' unfinished work aside and restores this task's: a failed task must not poison the gates of the next one.
 * Returns the tree that the session starts from, if Ralph knows it.
 */
export async function makeReady(
  input: GroundInput,
  { task, session }: Claim,
  /** The tree, if Ralph has just taken it. */
  known: TakenTree | null,
): Promise<string | null> {
  const { queue, root, env, stateDir, config } = input;
  const place = { root, env, stateDir };
  const isDone = async (id: number) => (await show(queue, id)).status === 'done';
  // First: Ralph recognises a person's moves of HEAD from here on, and takes the tree after them.
  await recordBranch(place, session.id);
  const subject = { task_id: task.id, session_id: session.id };
  const { set_aside, left_out, tree } = await restoreWork(place, {
    ...subject,
    isDone,
    known,
    agentCommits: config.commit === 'agent',
  });
  if (set_aside !== null) input.tell({ kind: 'set_aside', task_id: set_aside });
  if (left_out.length > 0) await addComment(queue, task.id, leftOutText(task.id, left_out));
  return tree;
}

const leftOutText = (task_id: number, left_out: readonly string[]): string =>
  `These files of your earlier work were left out, because they changed meanwhile: ${left_out.join(', ')}. Your versions of them are in ${workRef(task_id)}.`;
