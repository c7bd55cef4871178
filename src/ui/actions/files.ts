import { z } from 'zod';
import { showableFiles } from '../../files/read-files.ts';
import { secretMatcher } from '../../files/secret-files.ts';
import {
  approveFiles as approve,
  approvedFileMessages,
  removedFileMessage,
  removeFeatureFile,
  suggestedFiles,
} from '../../queue/tasks/context-files.ts';
import { defineAction } from '../action.ts';
import { text } from '../fields.ts';

/** Without `feature`: the suggested files of every feature. */
export const approveFiles = defineAction({
  name: 'approve-files',
  input: z.strictObject({ feature: text.optional() }),
  run: async ({ queue, root, config }, { feature }) => {
    const { knowledge } = await config();
    const paths = (await suggestedFiles(queue, feature)).map(({ path }) => path);
    const fit = await showableFiles(root, paths, secretMatcher(knowledge.secrets));
    const approved = await approve(queue, (path) => fit.has(path), feature);
    return { message: approvedFileMessages(approved).join(' ') };
  },
});

export const removeFile = defineAction({
  name: 'remove-file',
  input: z.strictObject({ feature: text, path: text }),
  run: async ({ queue }, { feature, path }) => {
    await removeFeatureFile(queue, feature, path);
    return { message: removedFileMessage(feature, path) };
  },
});
