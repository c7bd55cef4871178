import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { unprovenText } from '../../domain/sessions/evidence.ts';
import { leftBehindText } from '../../domain/sessions/session-state.ts';
import type { Status } from '../../domain/tasks/task.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { keepHeartbeat } from '../../queue/sessions/heartbeat.ts';
import { startRun } from '../../queue/sessions/runs.ts';
import { verifyEvidence } from '../../queue/sessions/verify-evidence.ts';
import { type Claim, claim } from '../../queue/tasks/claim.ts';
import { peek, status } from '../../queue/tasks/status.ts';
import { why } from '../../queue/tasks/why.ts';
import type { HeldTask } from '../client-state.ts';
import { id } from '../fields.ts';
import { ADDS, type Answer, defineTool, type ToolContext } from '../tool.ts';
import { release } from './release.ts';

export const nextTask = defineTool({
  name: 'next_task',
  title: 'Take the next task',
  description:
    'Take the next ready task, or that with id: its prompt and its folder. The verbs speak for it until done, partial or stuck closes it.',
  input: z.strictObject({
    id: id.optional(),
    in_place: z.boolean().optional().describe('In the checkout; only if the person asks'),
  }),
  example: {},
  hints: ADDS,
  // Clients write a longer result to a file and show a part of it; an agent must read a prompt whole.
  maxResultCharacters: 500_000,
  run: async (context, input) => {
    const { queue, root, client, effects } = context;
    if (client.isClosed) throw new Refusal('This client has left; nothing was changed.');
    if (client.held_task !== null)
      throw new Refusal(
        `You hold task ${client.held_task.task_id}. Close it first with done, partial or stuck; nothing was changed.`,
      );
    // As before each claim of a run: what builds on it would be built on nothing.
    const { unproven } = await verifyEvidence(queue);
    if (unproven.length > 0)
      throw new Refusal(`${unprovenText(unproven)} That is for the person to decide; nothing was changed.`);
    // Checked before a run starts: a wrong number must leave no trace.
    if (input.id !== undefined) await requireReady(context, input.id, ['in_progress']);
    client.run_id ??= await startRun(queue, effects.identity, 'interactive');
    const { run_id } = client;
    client.heartbeat ??= keepHeartbeat(queue, run_id);
    // Tasks of a dead client would otherwise look taken forever.
    await effects.recover({ run_id, limits: await effects.limits() });
    if (input.id !== undefined) await requireReady(context, input.id);
    if ((await peek(queue)) === null) return nothing(context);
    const place = await effects.openPlace({ run_id, in_place: input.in_place ?? false });
    const session_id = effects.newSessionId();
    const { base_commit } = place;
    const task_id = input.id ?? null;
    const claimed = await claim(queue, { run_id, session_id, base_commit, root, task_id }).catch(
      async (error: unknown) => {
        await place.end();
        throw error;
      },
    );
    if (claimed === null) {
      await place.end();
      if (task_id === null) return nothing(context);
      throw new Refusal(`Another client took task ${task_id} just now; take another task.`);
    }
    client.held_task = { session_id, run_id, task_id: claimed.task.id, place, root: null };
    try {
      return await begin(context, claimed, client.held_task);
    } catch (error) {
      // Without its files and its prompt no agent can work on the task, so it goes back to the queue.
      const hindrance = await catchHindrance(async () => {
        throw error;
      }).catch(() => null);
      await release(queue, client, effects, hindrance);
      throw error;
    }
  },
});

async function begin({ effects }: ToolContext, claimed: Claim, heldTask: HeldTask): Promise<Answer> {
  const { root, isSlot, env } = await heldTask.place.begin(claimed);
  heldTask.root = root;
  const written = await effects.writePrompt('task_execution', { task_id: claimed.task.id, root });
  const prompt = { ...written, prompt: `${written.prompt}\n${whereText(root, isSlot, env)}` };
  await effects.recordPrompt(claimed.session.id, prompt);
  return { text: `${prompt.system}\n${prompt.prompt}` };
}

function whereText(root: string, isSlot: boolean, env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const where = isSlot
    ? `Work in ${root}: a checkout of Ralph's own with the files of this task. Read and change files only there, and leave the person's checkout as it is. \`done\` takes the files from there, runs the gates on them and lands them on the person's branch, or pushes them to the branch of a pull request if the project wants that. What needs a port, a database or a temporary folder gets these variables: ${variables.join(' ')}`
    : `Work in ${root}, the person's own checkout. \`done\` runs the gates there.`;
  return `## Where you work\n\n${where}\n`;
}

/** `unless`: statuses that may still turn out to be ready. */
async function requireReady(
  { queue, effects }: ToolContext,
  task_id: number,
  unless: readonly Status[] = [],
): Promise<void> {
  const { ready, status: found, reasons } = await why(queue, task_id, effects.isAlive);
  if (ready || unless.includes(found)) return;
  const left = reasons.find((reason) => reason.kind === 'left_behind');
  if (left !== undefined)
    throw new Refusal(
      `Task ${task_id} is not ready: it is held by session ${left.session_id}. ${leftBehindText(left.root)} Take another.`,
    );
  const waits = reasons.flatMap((reason) => {
    if (reason.kind === 'dependency') return [`task ${reason.task.id}`];
    return reason.kind === 'feature' ? [`its feature, which is ${reason.status}`] : [];
  });
  const because = waits.length === 0 ? `it is ${found}` : `it waits for ${waits.join(', ')}`;
  throw new Refusal(
    `Task ${task_id} is not ready: ${because}. Read ralph://tasks/${task_id}, or take another.`,
  );
}

async function nothing({ queue }: ToolContext): Promise<Answer> {
  const { counts } = await status(queue);
  const left = Object.entries(counts).filter(
    ([name, count]) => count > 0 && name !== 'done' && name !== 'skipped',
  );
  return {
    text:
      left.length === 0
        ? 'Nothing is left: every task is done or skipped.'
        : `Nothing is ready: ${left.map(([name, count]) => `${count} ${name}`).join(', ')}. Read ralph://queue for what they wait for.`,
  };
}
