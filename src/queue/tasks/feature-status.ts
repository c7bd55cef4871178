import type { FeatureStatus } from '../../domain/tasks/feature.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findFeature, setFeatureStatus } from '../../store/tasks/features.ts';

/** A feature that is done is active again with work that came to it afterwards. */
export async function reopenFeatures(
  db: Writer,
  features: readonly (string | null)[],
  at: number,
): Promise<void> {
  for (const feature of new Set(features))
    if (feature !== null && (await findFeature(db, feature))?.status === 'done')
      await changeFeatureStatus(db, feature, 'active', at);
}

export async function changeFeatureStatus(
  db: Writer,
  feature: string,
  to: FeatureStatus,
  at: number,
): Promise<void> {
  if (await setFeatureStatus(db, feature, to, at))
    await appendEvents(db, [{ at, kind: 'feature.saved', data: { feature } }]);
}
