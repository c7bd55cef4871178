// A person accepts a done that changed nothing: the gate results of its session become the receipt.

import { isApproval } from '../../domain/sessions/approval-questions.ts';
import { latestResults } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { lastClosing } from '../../domain/sessions/signal.ts';
import type { Writer } from '../../store/database.ts';
import { givenLearningIds } from '../../store/learnings/given-learnings.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { insertReceipt } from '../../store/sessions/receipts.ts';
import { acceptOutcome, findSession } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { approvalsOfTask } from '../../store/tasks/questions.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { proveLearnings } from '../learnings/learn.ts';
import { changeStatus } from './change-status.ts';
import { completeFeature } from './complete-feature.ts';

/** The session whose done a person accepted; null if there is none, or if another session followed. */
export async function approvedSession(db: Writer, task: StoredTask): Promise<Session | null> {
  const last = (await approvalsOfTask(db, task.id)).at(-1);
  if (last === undefined || last.answer === null || !isApproval(last.answer)) return null;
  const session = await findSession(db, last.approves);
  return session !== null && session.token === task.token ? session : null;
}

export async function completeApproved(
  db: Writer,
  task: StoredTask,
  session: Session,
  { verify, at }: { verify: boolean; at: number },
): Promise<void> {
  const done = lastClosing((await signalsOfSession(db, session.id)).map(({ signal }) => signal));
  const gates = latestResults(await gateRunsOfSession(db, session.id));
  await changeStatus(db, task, {
    cause: 'answer',
    to: 'done',
    at,
    session_id: session.id,
    patch: { blocked_by: null },
  });
  await acceptOutcome(db, session.id, 'done');
  await insertReceipt(db, {
    task_id: task.id,
    session_id: session.id,
    summary: done?.verb === 'done' ? done.summary : '',
    no_change_reason: done?.verb === 'done' ? (done.no_change_reason ?? null) : null,
    gates: gates.map(({ name, required, passed, exit_code }) => ({ name, required, passed, exit_code })),
    commit: null,
    tree_hash: gates[0]?.tree_hash ?? null,
    diff_stat: null,
    ...session.usage,
    learnings: await givenLearningIds(db, session.id),
    created: at,
  });
  await proveLearnings(db, task.id, session.id, at);
  await completeFeature(db, task, { verify, at });
}
