import { featurePatterns, readNamedFile, shownFiles } from '../context/feature-files.ts';
import { Refusal } from '../domain/refusal.ts';
import { allFeatures, featureDetails } from '../queue/tasks/features.ts';
import { encodePath } from '../recipes/files.ts';
import { featureNames, featureUri, isInScope } from './features.ts';
import { type ResourceContext, type ResourceFamily, requireName } from './resource.ts';

const MAX_FILES = 100;

/** Shows only files that the feature names, only inside the project, and never files that may hold secrets. */
export const files: ResourceFamily = {
  name: 'feature_file',
  title: 'File of a feature',
  description: 'A document or source file that the feature names, as it is on disk',
  uri: 'ralph://features/{name}/files/{+path}',
  complete: {
    name: featureNames,
    path: async (context, known) => featureFiles(context, requireName(known)),
  },
  mimeType: null,
  list: async (context, after, limit, scope) => {
    const found: { key: string; name: string; path: string }[] = [];
    for (const { feature } of await allFeatures(context.queue)) {
      // The last page finished this feature, so its files are not searched again.
      if (after !== null && feature.name < (after.split('\n')[0] ?? '')) continue;
      if (!isInScope(scope, feature.name)) continue;
      const paths = (await featureFiles(context, feature.name)).slice(0, MAX_FILES);
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
      mimeType: fileMimeType(path),
    }));
  },
  read: async (context, variables) => {
    const { path = '' } = variables;
    const { feature } = await featureDetails(context.queue, requireName(variables));
    const isSecret = await context.secrets();
    const text = await readNamedFile(context.filesRoot, featurePatterns(feature), path, { isSecret });
    if (text === null)
      throw new Refusal(
        `The feature "${feature.name}" names no such file; its resource lists those it names.`,
      );
    return { text, mimeType: fileMimeType(path) };
  },
  isChangedBy: ({ kind }) => kind === 'feature.saved',
  filePatterns: async (_, { path = '' }) => [path],
};

async function featureFiles(context: ResourceContext, name: string): Promise<string[]> {
  const { feature } = await featureDetails(context.queue, name);
  return shownFiles(context.filesRoot, featurePatterns(feature), await context.secrets());
}

const fileMimeType = (path: string): string =>
  /\.(md|markdown)$/i.test(path) ? 'text/markdown' : 'text/plain';
