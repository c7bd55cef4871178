// A done that others decide about after its session has ended: the gate results of that session become the receipt.
import { latestResults, type Work } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import type { Cause } from '../../domain/tasks/status.ts';
import type { Writer } from '../../store/database.ts';
import { givenLearningIds } from '../../store/learnings/given-learnings.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { insertReceipt } from '../../store/sessions/receipts.ts';
import { acceptOutcome } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { proveLearnings } from '../learnings/learn.ts';
import { changeStatus } from '../tasks/change-status.ts';
import { completeFeature } from '../tasks/complete-feature.ts';

export type Acceptance = {
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
