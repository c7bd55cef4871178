// Commits what a finished feature still lacks: its entry in the progress file, and its work if a person skipped its last task.
import type { FeatureWork } from '../domain/tasks/feature.ts';
import { catchHindrance } from '../queue/sessions/finish.ts';
import { finishedFeatures, recordFeature } from '../queue/tasks/features.ts';
import type { SupervisorEffects } from './effects.ts';
import type { Run } from './run.ts';

/** A feature that cannot be committed now is tried again later. */
export async function commitFinishedFeatures(
  { input, place, tellOnce }: Pick<Run, 'input' | 'place' | 'tellOnce'>,
  { commitFinished }: Pick<SupervisorEffects, 'commitFinished'>,
): Promise<void> {
  const { queue, config } = input;
  const finished = await finishedFeatures(queue, {
    commits: config.commit === 'feature',
    root: place.root,
  });
  for (const feature of finished) {
    const hindrance = await catchHindrance(() => commitOne(feature));
    if (hindrance === null) continue;
    const reason = hindrance.kind === 'needs_person' ? hindrance.question : hindrance.reason;
    tellOnce({
      kind: 'refused',
      reason: `The feature ${feature.title} is finished, but not committed: ${reason}`,
    });
  }

  async function commitOne(feature: FeatureWork): Promise<void> {
    const { commit } = await commitFinished(feature);
    await recordFeature(queue, feature, feature.sessions.length > 0 ? commit : null);
    if (commit !== null) input.tell({ kind: 'feature_committed', title: feature.title, commit });
  }
}
