// Sessions without a line in the journal, with everything the database knows about them.

import type { EndedSession } from '../../domain/journal/journal.ts';
import { latestResults } from '../../domain/sessions/gate.ts';
import { markJournaled, unjournaledSessions } from '../../store/journal/journal.ts';
import { givenLearningHashes } from '../../store/learnings/given-learnings.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { insertTouchedFiles } from '../../store/tasks/feature-files.ts';
import { insertWrittenFiles } from '../../store/tasks/written-files.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { growContextFiles } from '../tasks/context-files.ts';

/** A caller that wants all sessions asks again. */
const MAX_AT_ONCE = 100;

export const sessionsToJournal = (queue: Queue): Promise<EndedSession[]> =>
  queue.store.read(async (db) => {
    const endedSessions: EndedSession[] = [];
    for (const session of await unjournaledSessions(db, MAX_AT_ONCE)) {
      const last = await findReceipt(db, session.task_id);
      const receipt = last?.session_id === session.id ? last : null;
      endedSessions.push({
        session,
        task: await requireTask(db, session.task_id),
        signals: (await signalsOfSession(db, session.id)).map(({ signal }) => signal),
        gates: latestResults(await gateRunsOfSession(db, session.id)),
        commit: receipt?.commit ?? null,
        proof: receipt?.hash ?? null,
        given: await givenLearningHashes(db, session.id),
      });
    }
    return endedSessions;
  });

type JournaledSession = {
  session_id: string;
  feature: string | null;
  /** Files that the session read or wrote. */
  touched: readonly string[];
  /** Those of them that it wrote. */
  written?: readonly string[];
  /** Whether frequently touched files become context files without a person's approval. */
  auto_context: boolean;
};

export function recordJournaled(
  queue: Queue,
  { session_id, feature, touched, written = [], auto_context }: JournaledSession,
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await markJournaled(db, session_id, at);
    await insertWrittenFiles(db, session_id, written);
    if (feature === null) return;
    await insertTouchedFiles(db, feature, session_id, touched);
    if (auto_context) await growContextFiles(db, feature, at);
  });
}
