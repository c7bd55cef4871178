import { z } from 'zod';
import type { Feature } from '../../domain/tasks/feature.ts';
import { featuresAtWork, type Known } from '../../queue/tasks/features.ts';
import { defineView } from '../view.ts';

type FeatureRow = Known & Pick<Feature, 'name' | 'display_name' | 'status'>;

/** How much the project knows about each feature; `project` counts what belongs to no feature. */
export type KnowledgeView = { features: readonly FeatureRow[]; project: Known };

export const knowledge = defineView({
  path: '/api/knowledge',
  input: z.strictObject({}),
  read: async ({ queue }): Promise<KnowledgeView> => {
    const { features, project } = await featuresAtWork(queue);
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
