import { plainSnippet } from '../context/search.ts';
import { Refusal } from '../domain/refusal.ts';
import { line, list, quotedSpan, under } from '../domain/text/markdown.ts';
import { featureDetails } from '../queue/tasks/features.ts';
import { quoteOrders } from '../recipes/quoted.ts';
import { featureNames } from './features.ts';
import type { ResourceFamily } from './resource.ts';
import { requireName } from './resource.ts';

const MAX_SHOWN = 20;
const MAX_QUERY = 1_000;

export const search: ResourceFamily = {
  name: 'knowledge_search',
  title: 'Search in what the project knows',
  description:
    'Learnings, definitions, documents and the journal, the best match first; of one feature if it is named',
  uri: 'ralph://knowledge/search{?q,feature}',
  complete: { feature: featureNames },
  read: async ({ queue, search: find }, { q = '', feature }) => {
    const text = q.slice(0, MAX_QUERY).trim();
    if (text === '') throw new Refusal('Say what to look for, as in ralph://knowledge/search?q=token');
    const name = feature === undefined ? null : requireName({ name: feature });
    if (name !== null) await featureDetails(queue, name);
    const found = await find({ text, feature: name, limit: MAX_SHOWN });
    return {
      text: `${under(
        `# Found for "${line(text)}"`,
        found.length === 0
          ? 'Nothing found. Try other words; one matching word is enough.'
          : list(
              found.map(
                (one) =>
                  `${one.kind} ${one.ref} (${quotedSpan(one.title)}; score ${one.score}): ${quoteOrders(plainSnippet(one))}`,
              ),
            ),
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => /^(learning|feature|discipline|task|session\.ended)/.test(kind),
};
