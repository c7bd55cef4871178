import type { FeatureStatus } from '../domain/feature.ts';
import type { Writer } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';
import { findFeature, hasOpenTasks, setFeatureStatus } from '../store/features.ts';

/** A feature is done with its last task. */
export async function completeFeature(db: Writer, feature: string | null, at: number): Promise<void> {
  if (feature !== null && !(await hasOpenTasks(db, feature))) await change(db, feature, 'done', at);
}

/** And active again with work that came to it afterwards. */
export async function reopenFeatures(
  db: Writer,
  features: readonly (string | null)[],
  at: number,
): Promise<void> {
  for (const feature of new Set(features))
    if (feature !== null && (await findFeature(db, feature))?.status === 'done')
      await change(db, feature, 'active', at);
}

async function change(db: Writer, feature: string, to: FeatureStatus, at: number): Promise<void> {
  if (await setFeatureStatus(db, feature, to, at))
    await appendEvents(db, [{ at, kind: 'feature.saved', data: { feature } }]);
}
