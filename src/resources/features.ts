import { featurePatterns } from '../context/feature-files.ts';
import { longName } from '../domain/tasks/badge.ts';
import { line, list, optional, prose, under } from '../domain/text/markdown.ts';
import { allFeatures, featureDetails } from '../queue/tasks/features.ts';
import { encodePath } from '../recipes/files.ts';
import { type Complete, type ResourceFamily, requireName, type Scope } from './resource.ts';

export const featureNames: Complete = async ({ queue }) =>
  (await allFeatures(queue)).map(({ feature }) => feature.name);

export const featureUri = (name: string): string => `ralph://features/${encodeURIComponent(name)}`;

export const isInScope = (scope: Scope, name: string): boolean => scope === null || scope.feature === name;

const isOfFeature = (kind: string): boolean => /^(feature|task|learning)\./.test(kind);

export const features: ResourceFamily = {
  name: 'features',
  title: 'Features',
  description: 'The domains of this project, one line each',
  uri: 'ralph://features',
  read: async ({ queue }) => {
    const all = await allFeatures(queue);
    const lines = all.map(
      ({ feature, learnings }) =>
        `- [${line(longName(feature))}](${featureUri(feature.name)}) (${feature.status}, ${learnings} learnings): ${line(feature.description ?? 'no description')}`,
    );
    return {
      text: `${under('# Features', lines.length === 0 ? 'There are none yet.' : lines.join('\n'))}\n`,
    };
  },
  isChangedBy: ({ kind }) => kind.startsWith('feature.') || kind === 'learning.added',
};

export const feature: ResourceFamily = {
  name: 'feature',
  title: 'Feature',
  description: 'One domain: what it is, how it is built, its documents and its tasks',
  uri: 'ralph://features/{name}',
  complete: { name: featureNames },
  list: async ({ queue }, after, limit, scope) =>
    (await allFeatures(queue))
      .filter(({ feature: { name } }) => (after === null || name > after) && isInScope(scope, name))
      .slice(0, limit)
      .map(({ feature: one }) => ({
        key: one.name,
        uri: featureUri(one.name),
        title: `Feature: ${one.display_name ?? one.name}`,
        description: line(one.description ?? 'a feature of this project'),
      })),
  read: async ({ queue }, variables) => {
    const { feature: one, tasks, learnings } = await featureDetails(queue, requireName(variables));
    const uri = featureUri(one.name);
    const paths = featurePatterns(one);
    return {
      text: `${under(
        `# ${line(longName(one))}`,
        `Feature \`${line(one.name)}\`, ${one.status}.`,
        optional(one.description),
        optional(one.architecture, (text) => `## Architecture\n\n${prose(text)}`),
        optional(one.boundaries, (text) => `## Boundaries\n\n${prose(text)}`),
        one.dependencies.length === 0
          ? null
          : `## Builds on\n\n${list(one.dependencies.map((name) => `${name}: ${featureUri(name)}`))}`,
        one.acceptance_criteria.length === 0 ? null : `## Done when\n\n${list(one.acceptance_criteria)}`,
        paths.length === 0
          ? null
          : `## Documents and code\n\n${list(paths.map((path) => (isFile(path) ? `${path}: ${uri}/files/${encodePath(path)}` : path)))}`,
        learnings === 0 ? null : `## Learnings\n\n${learnings}: ${uri}/learnings`,
        tasks.length === 0
          ? null
          : `## Tasks\n\n${tasks.map(({ id, title, status }) => `- [${status === 'done' ? 'x' : ' '}] #${id} ${line(title)} (${status})`).join('\n')}`,
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => isOfFeature(kind),
  filePatterns: async ({ queue }, variables) =>
    featurePatterns((await featureDetails(queue, requireName(variables))).feature),
};

/** Only a file is a resource; a folder or a glob stands for the files in it. */
const isFile = (path: string): boolean => /\.[^/.]+$/.test(path) && !/[*?{[]/.test(path);
