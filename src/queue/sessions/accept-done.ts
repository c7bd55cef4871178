// A done that others decide about after its session has ended: the gate results of that session become the receipt.

import { waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import { isApproval } from '../../domain/sessions/approval-questions.ts';
import { latestResults, NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import type { Cause } from '../../domain/tasks/status.ts';
import type { Writer } from '../../store/database.ts';
import { givenLearningIds } from '../../store/learnings/given-learnings.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { insertReceipt } from '../../store/sessions/receipts.ts';
import { acceptOutcome, findSession } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { setWaiting } from '../../store/tasks/pull-parts.ts';
import { pullOfTask } from '../../store/tasks/pull-requests.ts';
import { approvalsOfTask } from '../../store/tasks/questions.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { proveLearnings } from '../learnings/learn.ts';
import { handOver } from '../pull-requests/closed-pull.ts';
import { changeStatus, refreshDependents } from '../tasks/change-status.ts';
import { completeFeature } from '../tasks/complete-feature.ts';

type Acceptance = {
  cause: Extract<Cause, 'answer' | 'merge'>;
  /** Without a tree, that of the gates. */
  work: Pick<Work, 'commit' | 'tree_hash' | 'diff_stat'>;
  no_change_reason: string | null;
  verify: boolean;
  at: number;
};

export async function acceptDone(
  db: Writer,
  task: StoredTask,
  session: Session,
  { cause, work, no_change_reason, verify, at }: Acceptance,
): Promise<void> {
  const signals = (await signalsOfSession(db, session.id)).map(({ signal }) => signal);
  const gates = latestResults(await gateRunsOfSession(db, session.id));
  const patch = { blocked_by: null };
  await changeStatus(db, task, { cause, to: 'done', at, session_id: session.id, patch });
  await handOver(db, task.id, at);
  await acceptOutcome(db, session.id, 'done');
  await insertReceipt(db, {
    task_id: task.id,
    session_id: session.id,
    summary: doneSummary(lastClosing(signals)) ?? '',
    no_change_reason,
    gates: gates.map(({ name, required, passed, exit_code }) => ({ name, required, passed, exit_code })),
    commit: work.commit,
    diff_stat: work.diff_stat,
    tree_hash: work.tree_hash ?? gates[0]?.tree_hash ?? null,
    ...session.usage,
    learnings: await givenLearningIds(db, session.id),
    created: at,
  });
  await proveLearnings(db, task.id, session.id, at);
  await completeFeature(db, task, { verify, at });
}

// A person accepts a done that changed nothing: the gate results of its session become the receipt.

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
    // The session added nothing to it; the pull request still has to be merged.
    const patch = { blocked_by: waitsForPull(pull) };
    await changeStatus(db, task, { cause: 'answer', to: 'blocked', at, session_id: session.id, patch });
    await setWaiting(db, task.id, pull.id);
    await refreshDependents(db, task.id, at);
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
