import { Refusal } from '../domain/refusal.ts';
import { findFiles } from '../knowledge/find-files.ts';
import { contentOf } from '../knowledge/read-files.ts';
import { allFeatures, featureDetails } from '../queue/features.ts';
import { nameOf } from './checked.ts';
import { featureNames, featureUri, isInScope, patternsOf } from './features.ts';
import { encodePath, type ResourceContext, type ResourceFamily } from './resource.ts';

const FILES_LISTED = 100;

/** Only files that the feature declares, only inside the project, and never what may hold secrets. */
export const files: ResourceFamily = {
  name: 'feature_file',
  title: 'File of a feature',
  description: 'A document or source file that the feature names, as it is on disk',
  uri: 'ralph://features/{name}/files/{+path}',
  complete: {
    name: featureNames,
    path: async (context, known) => declared(context, nameOf(known)),
  },
  mimeType: null,
  list: async (context, after, limit, scope) => {
    const found: { key: string; name: string; path: string }[] = [];
    for (const { feature } of await allFeatures(context.queue)) {
      // A feature that the last page had finished is not looked into again.
      if (after !== null && feature.name < (after.split('\n')[0] ?? '')) continue;
      if (!isInScope(scope, feature.name)) continue;
      const paths = (await declared(context, feature.name)).slice(0, FILES_LISTED);
      for (const path of paths.sort()) {
        const key = `${feature.name}\n${path}`;
        if (after === null || key > after) found.push({ key, name: feature.name, path });
      }
      if (found.length >= limit) break;
    }
    return found.slice(0, limit).map(({ key, name, path }) => ({
      key,
      uri: `${featureUri(name)}/files/${encodePath(path)}`,
      title: path,
      description: `a file of the feature ${name}`,
      mimeType: mimeOf(path),
    }));
  },
  read: async (context, variables) => {
    const { path = '' } = variables;
    const { feature } = await featureDetails(context.queue, nameOf(variables));
    const found = (
      await Promise.all(patternsOf(feature).map((pattern) => findFiles(context.root, pattern)))
    ).flat();
    const file = found.find((one) => one.path === path);
    if (file === undefined)
      throw new Refusal(
        `The feature "${feature.name}" names no such file; its resource lists those it names.`,
      );
    const content = await contentOf(context.root, file, await context.secrets());
    if (content.kind === 'text') return { text: content.text, mimeType: mimeOf(path) };
    throw new Refusal(
      content.kind === 'withheld'
        ? `${path} is not shown (${content.reason}).`
        : `${path} is named by the feature, but there is no such file.`,
    );
  },
  isChangedBy: ({ kind }) => kind === 'feature.saved',
  shows: async (_, { path = '' }) => [path],
};

async function declared(context: ResourceContext, name: string): Promise<string[]> {
  const { feature } = await featureDetails(context.queue, name);
  const found = await Promise.all(patternsOf(feature).map((pattern) => findFiles(context.root, pattern)));
  const isSecret = await context.secrets();
  const shown = found
    .flat()
    .flatMap((one) => (one.kind === 'file' && !isSecret(one.path) && !isSecret(one.real) ? [one.path] : []));
  return [...new Set(shown)];
}

const mimeOf = (path: string): string => (/\.(md|markdown)$/i.test(path) ? 'text/markdown' : 'text/plain');
