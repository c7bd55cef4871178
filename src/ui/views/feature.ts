import { z } from 'zod';
import { featurePatterns, namedFiles, readNamedFile } from '../../context/feature-files.ts';
import { MAX_DOCUMENTS, projectDocuments } from '../../context/search.ts';
import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Feature } from '../../domain/tasks/feature.ts';
import { withheldBecause } from '../../files/read-files.ts';
import { secretMatcher } from '../../files/secret-files.ts';
import { suggestedFiles, type TouchedFile } from '../../queue/tasks/context-files.ts';
import { allFeatures, featureDetails } from '../../queue/tasks/features.ts';
import { defineView } from '../view.ts';

/** A person who wants to see more of them opens the folder. */
const MAX_LISTED = 300;

/** `reason`: why it cannot be opened here. */
export type Document = { path: string; reason: string | null };

/** `feature`: null for the project as a whole. */
export type FeatureView = {
  feature: Feature | null;
  used_by: readonly string[];
  documents: readonly Document[];
  more_documents: number;
  /** Files that its sessions search for again and again. */
  suggested: readonly TouchedFile[];
};

export const feature = defineView({
  path: '/api/feature',
  input: z.strictObject({ name: z.string().optional() }),
  read: async ({ queue, root, config }, { name }): Promise<FeatureView> => {
    const settings = await config();
    const shown = name === undefined ? null : (await featureDetails(queue, name)).feature;
    const isSecret = secretMatcher(settings.knowledge.secrets);
    const documents = await namedFiles(root, documentPatterns(shown, settings));
    const all = name === undefined ? [] : await allFeatures(queue);
    return {
      feature: shown,
      used_by: all.flatMap(({ feature: other }) =>
        name !== undefined && other.dependencies.includes(name) ? [other.name] : [],
      ),
      documents: documents
        .filter((found) => shown !== null || found.kind !== 'missing')
        .slice(0, MAX_LISTED)
        .map((found) => ({ path: found.path, reason: withheldBecause(found, isSecret) })),
      more_documents: Math.max(0, documents.length - MAX_LISTED),
      suggested: name === undefined ? [] : await suggestedFiles(queue, name),
    };
  },
});

export type DocumentView = { text: string };

/** By the rules of MCP resources: a file that the project or a feature names, inside the project, and no secret. */
export const document = defineView({
  path: '/api/document',
  input: z.strictObject({ path: z.string() }),
  read: async ({ queue, root, config }, { path }): Promise<DocumentView> => {
    const settings = await config();
    const isSecret = secretMatcher(settings.knowledge.secrets);
    const features = (await allFeatures(queue)).map(({ feature }) => feature);
    const patterns = new Set([null, ...features].flatMap((one) => documentPatterns(one, settings)));
    const text = await readNamedFile(root, [...patterns], path, { isSecret, limit: MAX_DOCUMENTS });
    if (text === null) throw new Refusal(`No feature names ${path}, so it is not shown.`);
    return { text };
  },
});

/** The only files that a page may show: those of a feature, or, for null, of the project as a whole. */
const documentPatterns = (feature: Feature | null, config: Pick<Config, 'specs'>): string[] =>
  feature === null
    ? projectDocuments(config)
    : [...new Set([...(feature.spec_file === null ? [] : [feature.spec_file]), ...featurePatterns(feature)])];
