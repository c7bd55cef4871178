import * as z from 'zod';
import { FEATURE_STATUSES } from '../../domain/tasks/feature.ts';
import { updateFeature as update } from '../../queue/definitions/edit.ts';
import { name, withoutUndefined } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';
import { featureFields } from './create-feature.ts';

export const updateFeature = defineTool({
  name: 'update_feature',
  title: 'Change a feature',
  description: 'Change given fields of a feature, as in create_feature.',
  input: z.strictObject({
    name,
    ...featureFields,
    status: z.enum(FEATURE_STATUSES).exclude(['done']).optional(),
  }),
  example: { name: 'auth', description: 'Sign-in with sessions.', status: 'deprecated' },
  hints: REPLACES,
  rare: [...Object.keys(featureFields), 'status'],
  run: async ({ queue }, { name: key, ...fields }) => {
    await update(queue, key, withoutUndefined(fields));
    return { text: `Feature "${key}" is changed: ralph://features/${encodeURIComponent(key)}` };
  },
});
