import { z } from 'zod';
import { readNamedFile } from '../../context/feature-files.ts';
import { DOCUMENTS } from '../../context/search.ts';
import { Refusal } from '../../domain/refusal.ts';
import { secretMatcher } from '../../files/secret-files.ts';
import { allFeatures } from '../../queue/tasks/features.ts';
import { documentsOf } from '../documents.ts';
import { defineView } from '../view.ts';

export type DocumentView = { text: string };

/** By the rules of resources: a file that the project or a feature names, inside the project, and no secret. */
export const document = defineView({
  path: '/api/document',
  input: z.strictObject({ path: z.string() }),
  read: async ({ queue, root, config }, { path }): Promise<DocumentView> => {
    const settings = await config();
    const isSecret = secretMatcher(settings.knowledge.secrets);
    const features = (await allFeatures(queue)).map(({ feature }) => feature);
    const patterns = new Set([null, ...features].flatMap((one) => documentsOf(one, settings)));
    const text = await readNamedFile(root, [...patterns], path, { isSecret, limit: DOCUMENTS });
    if (text === null) throw new Refusal(`No feature names ${path}, so it is not shown.`);
    return { text };
  },
});
