// Features whose last task is settled, and whose work is not yet written down: by a commit, or by an entry in the progress file.
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import { coverReceipts, receiptsOfFeature } from '../../store/sessions/receipts.ts';
import { findFeature, markRecorded, unrecordedFeatures } from '../../store/tasks/features.ts';
import type { Queue } from '../queue.ts';
import { lastOfEach } from './features.ts';

/**
 * `commits`: whether the work of a feature is committed as one. `root`: leaves out features with work of another work tree,
 * whose files are not here.
 */
export const finishedFeatures = (
  queue: Queue,
  { commits, root }: { commits: boolean; root: string },
): Promise<FeatureWork[]> =>
  queue.store.read(async (db) => {
    const finished: FeatureWork[] = [];
    for (const name of await unrecordedFeatures(db)) {
      const done = await receiptsOfFeature(db, name, 'unrecorded');
      const last = done.at(-1);
      if (last === undefined || done.some((one) => one.root !== null && one.root !== root)) continue;
      const open = done.filter(({ commit, tree_hash }) => commits && commit === null && tree_hash !== null);
      finished.push({
        name,
        title: (await findFeature(db, name))?.display_name ?? name,
        tasks: lastOfEach(done),
        sessions: open.map(({ session_id, tree_hash }) => ({ id: session_id, tree_hash })),
        last: { id: last.session_id, base_commit: last.base_commit },
        at: last.created,
      });
    }
    return finished;
  });

/** `commit`: of the work of all its tasks, if they had none. */
export function recordFeature(
  queue: Queue,
  { name, tasks, at }: FeatureWork,
  commit: string | null,
): Promise<void> {
  const ids = tasks.map(({ id }) => id);
  const now = queue.now();
  return queue.store.write(async (db) => {
    if (commit !== null) await coverReceipts(db, ids, { commit, at: now });
    await markRecorded(db, name, at);
  });
}
