import { z } from 'zod';
import type { Feature } from '../../domain/tasks/feature.ts';
import { type FeatureProgress, featureProgress } from '../../queue/tasks/features.ts';
import { defineView } from '../view.ts';

type FeatureRow = FeatureProgress & Pick<Feature, 'name' | 'display_name' | 'status'>;

/** How much the project knows about each feature; `project` counts what belongs to no feature. */
export type KnowledgeView = { features: readonly FeatureRow[]; project: FeatureProgress };

export const knowledge = defineView({
  path: '/api/knowledge',
  input: z.strictObject({}),
  read: async ({ queue }): Promise<KnowledgeView> => {
    const { features, project } = await featureProgress(queue);
    return {
      features: features.map(({ feature: { name, display_name, status }, ...known }) => ({
        name,
        display_name,
        status,
        ...known,
      })),
      project,
    };
  },
});
