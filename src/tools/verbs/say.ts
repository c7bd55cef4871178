// Records a verb, then answers: Ralph never answers "Recorded" before the verb is on disk.
import { Refusal } from '../../domain/refusal.ts';
import { NO_CHANGE_REFUSED } from '../../domain/sessions/approval-questions.ts';
import { NO_USAGE } from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { type Closing, isClosing, type Signal, type SignalOf } from '../../domain/sessions/signal.ts';
import { catchHindrance, finish, noChange } from '../../queue/sessions/finish.ts';
import { LostSession, taskOfSession } from '../../queue/sessions/live-session.ts';
import { type RecordResult, record } from '../../queue/sessions/record.ts';
import { type HeldTask, requireSession } from '../client-state.ts';
import type { Answer, ToolContext } from '../tool.ts';

export async function say(context: ToolContext, signal: Signal): Promise<Answer> {
  const { queue, client, call_id } = context;
  const { last_closed, held_task } = client;
  if (last_closed !== null && call_id !== null && last_closed.call_id === call_id)
    return { text: last_closed.text };
  if (isClosing(signal) && held_task !== null) return closeTask(context, held_task, signal);
  // Gates take longer than some clients wait: a verb that they send again was settled already.
  if (isClosing(signal) && last_closed !== null)
    return {
      text: `Task ${last_closed.task_id} was closed by your earlier ${last_closed.verb}; this call added nothing. The result of that was: ${last_closed.text}`,
    };
  if (signal.verb === 'done') await requireChange(context, signal);
  const recorded = await record(queue, { session_id: requireSession(client), call_id, signal });
  return { text: `${acknowledgement(recorded)} ${nextStep(signal)}` };
}

export function acknowledgement({ repeated, replaced }: RecordResult): string {
  if (repeated) return 'Recorded already; nothing was added.';
  return replaced === null ? 'Recorded.' : `Recorded in place of the earlier ${replaced}.`;
}

export function nextStep(signal: Signal): string {
  switch (signal.verb) {
    case 'done':
    case 'partial':
    case 'stuck':
      return 'This session may end now.';
    case 'ask':
      return signal.blocking
        ? 'Now call partial with what remains.'
        : 'Go on with your best assumption; the answer reaches a later session.';
    case 'blocked':
      return 'Now call partial with what remains.';
    case 'flag':
      return signal.severity === 'blocking'
        ? 'A person will look at it. If you cannot go on before that, call partial with what remains.'
        : 'Go on.';
    case 'learned':
    case 'suggest':
      return 'Go on.';
  }
}

/** No supervisor waits for an interactive session, so its closing verb runs the gates and settles the task at once. */
async function closeTask(context: ToolContext, held_task: HeldTask, signal: Closing): Promise<Answer> {
  const { queue, client, call_id, effects } = context;
  const { session_id, run_id, place } = held_task;
  if (signal.verb === 'done') {
    await place.requireProvable();
    await requireChange(context, signal);
  }
  try {
    await record(queue, { session_id, call_id, signal });
    const limits = await effects.limits();
    const end = { kind: 'exited', exit_code: 0 } as const;
    const hindrance = await catchHindrance(place.afterWork);
    const decision = await finish(queue, {
      session_id,
      run_id,
      end,
      usage: NO_USAGE,
      hindrance,
      effects: place.effects,
      limits,
    });
    const text = [settledText(held_task.task_id, decision), ...place.notes()].join('\n\n');
    client.held_task = null;
    // Not awaited: the client waits for its answer.
    void effects.writeJournal().catch(ignore);
    client.last_closed = { call_id, task_id: held_task.task_id, verb: signal.verb, text };
    await place.end();
    return { text };
  } catch (error) {
    // Another session has the task now, so this client may take another one.
    if (error instanceof LostSession && client.held_task !== null) {
      client.held_task = null;
      await place.end();
    }
    throw error;
  }
}

/** The task is settled even if the journal cannot be written; a later run writes the line. */
const ignore = (): void => {};

const REFUTED: Partial<Record<Decision['outcome'], string>> = {
  gate_failed: 'a gate failed',
  no_change: 'no file has changed',
  changes_requested: 'the review requested changes',
  conflict: 'the work does not fit what others landed meanwhile',
};

function settledText(id: number, { status, outcome, comment }: Decision): string {
  const next = 'Call next_task for the next one.';
  if (status === 'done')
    return `Recorded. Task ${id} is done; its receipt is ralph://tasks/${id}/receipt. ${next}`;
  const why = REFUTED[outcome];
  if (why !== undefined) {
    return `Recorded, but ${why}, so task ${id} is ${status} again:\n\n${comment?.body ?? ''}\n\nCall next_task with id ${id} to go on with it.`;
  }
  const waits: Partial<Record<Decision['status'], string>> = {
    needs_input:
      outcome === 'needs_approval'
        ? 'A person has to approve that no file had to change.'
        : 'It waits for a person to answer its question or to close its flag.',
    blocked:
      outcome === 'proposed'
        ? 'Its gates passed, and its branch is pushed. The next ralph run or ralph land opens its pull request or brings it up to date; the task is done once somebody merges it.'
        : 'It waits for what blocks it.',
    failed: 'It has failed too often; a person must look at it.',
  };
  return `Recorded. Task ${id} is ${status}. ${[waits[status], next].filter(Boolean).join(' ')}`;
}

/** Refuses a done without a changed file while the agent can still do the work, or say why none is needed. */
async function requireChange({ queue, client, effects }: ToolContext, done: SignalOf<'done'>): Promise<void> {
  const session_id = requireSession(client);
  const task = await queue.store.read((db) => taskOfSession(db, session_id));
  if (task === null || (await noChange(queue, task, done))?.kind !== 'unexplained') return;
  let isUnchanged = false;
  // If git fails, the answer is unknown; finishing the session checks again.
  await catchHindrance(async () => {
    isUnchanged = await effects.looksUnchanged(session_id);
  });
  if (isUnchanged) throw new Refusal(`Nothing was recorded. ${NO_CHANGE_REFUSED}`);
}
