import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import type { FeatureWork } from '../../domain/tasks/feature-work.ts';
import { uncommittedReceipts } from '../../store/sessions/receipts.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { findFeature, hasOpenTasks } from '../../store/tasks/features.ts';
import type { Queue } from '../queue.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { isVerification } from './complete-feature.ts';

/** Null while other tasks of the feature are open or will be, and for a task without one. */
export function featureWork(
  queue: Queue,
  { task, session }: Pick<LiveSession, 'task' | 'session'>,
  verify: boolean,
): Promise<FeatureWork | null> {
  const now = queue.now();
  return queue.store.read(async (db) => {
    if (task.feature === null || (await hasOpenTasks(db, task.feature, task.id))) return null;
    // The last of its tasks brings the one that verifies it, whose commit holds the work of all.
    if (verify && !isVerification(task)) return null;
    const feature = await findFeature(db, task.feature);
    const earlier = await uncommittedReceipts(db, task.feature, session.id);
    const closing = lastClosing((await signalsOfSession(db, session.id)).map(({ signal }) => signal));
    const summary = doneSummary(closing) ?? '';
    return {
      name: task.feature,
      title: feature?.display_name ?? task.feature,
      // A task that was done more than once is named once, by what was said of it last.
      tasks: lastOfEach([...earlier, { id: task.id, title: task.title, summary }]),
      sessions: [
        ...earlier.map(({ session_id, tree_hash }) => ({ id: session_id, tree_hash })),
        { id: session.id, tree_hash: null },
      ],
      at: session.closing ?? now,
    };
  });
}

type Named = FeatureWork['tasks'][number];

function lastOfEach(done: readonly Named[]): Named[] {
  const last = new Map<number, Named>();
  for (const { id, title, summary } of done) {
    last.delete(id);
    last.set(id, { id, title, summary });
  }
  return [...last.values()];
}
