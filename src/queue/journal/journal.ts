// Which sessions have no line in the journal yet, and what the database knows of them.

import type { ToldSession } from '../../domain/journal/journal.ts';
import { latest } from '../../domain/sessions/gate.ts';
import { markJournaled, unjournaledSessions } from '../../store/journal/journal.ts';
import { hashesGivenTo } from '../../store/learnings/given-learnings.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { insertTouched } from '../../store/tasks/feature-files.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { growContextFiles } from '../tasks/context-files.ts';

/** As many as one look takes; whoever wants all looks again. */
const AT_ONCE = 100;

export const unjournaled = (queue: Queue): Promise<ToldSession[]> =>
  queue.store.read(async (db) => {
    const told: ToldSession[] = [];
    for (const session of await unjournaledSessions(db, AT_ONCE)) {
      const receipt = await findReceipt(db, session.task_id);
      told.push({
        session,
        task: await requireTask(db, session.task_id),
        signals: (await signalsOfSession(db, session.id)).map(({ signal }) => signal),
        gates: latest(await gateRunsOfSession(db, session.id)),
        commit: receipt?.session_id === session.id ? receipt.commit : null,
        given: await hashesGivenTo(db, session.id),
      });
    }
    return told;
  });

export type Journaled = {
  session_id: string;
  feature: string | null;
  /** What it read or wrote. */
  touched: readonly string[];
  /** Whether what is touched again and again becomes a context file without being asked for. */
  auto_context: boolean;
};

export function journaled(
  queue: Queue,
  { session_id, feature, touched, auto_context }: Journaled,
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await markJournaled(db, session_id, at);
    if (feature === null) return;
    await insertTouched(db, feature, session_id, touched);
    if (auto_context) await growContextFiles(db, feature, at);
  });
}
