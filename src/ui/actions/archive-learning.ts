import { z } from 'zod';
import { archiveLearning as archive } from '../../queue/learnings/learnings.ts';
import { toldArchived } from '../../text/learning-messages.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';

export const archiveLearning = defineAction({
  name: 'archive-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: toldArchived(await archive(queue, given.id)) }),
});
