// A person accepts a done that changed nothing: the gate results of its session become the receipt.

import { waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import { isApproval } from '../../domain/sessions/approval-questions.ts';
import { NO_WORK } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { lastClosing } from '../../domain/sessions/signal.ts';
import type { Writer } from '../../store/database.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { pullOfTask } from '../../store/tasks/pull-requests.ts';
import { approvalsOfTask } from '../../store/tasks/questions.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { acceptDone } from '../sessions/accept-done.ts';
import { changeStatus } from './change-status.ts';

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
  const pull = await pullOfTask(db, task.id);
  if (pull?.state === 'open') {
    // Nothing had to be added to it: somebody still has to merge it.
    const patch = { blocked_by: waitsForPull(pull) };
    await changeStatus(db, task, { cause: 'answer', to: 'blocked', at, session_id: session.id, patch });
    return;
  }
  const done = lastClosing((await signalsOfSession(db, session.id)).map(({ signal }) => signal));
  await acceptDone(db, task, session, {
    cause: 'answer',
    work: NO_WORK,
    no_change_reason: done?.verb === 'done' ? (done.no_change_reason ?? null) : null,
    verify,
    at,
  });
}
