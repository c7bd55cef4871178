import { LEARNING_KINDS } from '../domain/sessions/signal.ts';
import { line, list, under } from '../domain/text/markdown.ts';
import { type Learning, listLearnings } from '../queue/learnings/learnings.ts';
import { allFeatures, featureDetails } from '../queue/tasks/features.ts';
import { quoteOrders } from '../recipes/quoted.ts';
import { featureNames, featureUri, isInScope } from './features.ts';
import type { ResourceFamily } from './resource.ts';
import { requireName } from './resource.ts';

const MAX_SHOWN = 200;

export const learnings: ResourceFamily = {
  name: 'feature_learnings',
  title: 'Learnings of a feature',
  description: 'What sessions learned about one domain, newest first',
  uri: 'ralph://features/{name}/learnings',
  complete: { name: featureNames },
  list: async ({ queue }, after, limit, scope) =>
    (await allFeatures(queue))
      .filter(
        ({ feature: { name }, learnings: count }) =>
          count > 0 && (after === null || name > after) && isInScope(scope, name),
      )
      .slice(0, limit)
      .map(({ feature, learnings: count }) => ({
        key: feature.name,
        uri: `${featureUri(feature.name)}/learnings`,
        title: `Learnings: ${feature.display_name ?? feature.name}`,
        description: `${count} things that sessions learned about it`,
      })),
  read: async ({ queue }, variables) => {
    const { feature } = await featureDetails(queue, requireName(variables));
    const { learnings: all } = await listLearnings(queue, { feature: feature.name, proven: true }, MAX_SHOWN);
    const parts = LEARNING_KINDS.map((kind) => {
      const items = all.filter(({ category }) => category === kind);
      return items.length === 0 ? null : `## ${kind}\n\n${list(items.map(learningText))}`;
    });
    return {
      text: `${under(
        `# Learnings: ${line(feature.display_name ?? feature.name)}`,
        all.length === 0 ? 'Nothing was learned yet.' : null,
        ...parts,
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => kind.startsWith('learning.'),
};

function learningText({ id, body, reason, author, confirmations, conflicts_with }: Learning): string {
  const write = author === 'person' ? line : quoteOrders;
  const asides = [
    reason === null ? '' : `why: ${write(reason)}`,
    confirmations === 0 ? '' : `said ${confirmations + 1} times`,
    conflicts_with === null ? '' : `contradicts the older learning ${conflicts_with}`,
  ].filter((aside) => aside !== '');
  return `${write(body)} (${[`learning ${id}`, ...asides].join('; ')})`;
}
