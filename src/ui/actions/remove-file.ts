import { z } from 'zod';
import { removedFileMessage, removeFeatureFile } from '../../queue/tasks/context-files.ts';
import { defineAction } from '../action.ts';
import { text } from '../fields.ts';

export const removeFile = defineAction({
  name: 'remove-file',
  input: z.strictObject({ feature: text, path: text }),
  run: async ({ queue }, { feature, path }) => {
    await removeFeatureFile(queue, feature, path);
    return { message: removedFileMessage(feature, path) };
  },
});
