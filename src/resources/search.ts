import { Refusal } from '../domain/refusal.ts';
import { searchLearnings } from '../queue/features.ts';
import { line, list, under } from '../recipes/markdown.ts';
import { nameOf } from './checked.ts';
import { featureNames } from './features.ts';
import type { ResourceFamily } from './resource.ts';

const SHOWN = 20;
const MAX_QUERY = 200;

export const search: ResourceFamily = {
  name: 'knowledge_search',
  title: 'Search in what was learned',
  description: 'Learnings that hold every word of q, newest first; of one feature if it is named',
  uri: 'ralph://knowledge/search{?q,feature}',
  complete: { feature: featureNames },
  read: async ({ queue }, { q = '', feature }) => {
    const words = q.slice(0, MAX_QUERY).split(/\s+/).filter(Boolean);
    if (words.length === 0) throw new Refusal('Say what to look for, as in ralph://knowledge/search?q=token');
    const name = feature === undefined ? null : nameOf({ name: feature });
    const found = await searchLearnings(queue, words, name, SHOWN);
    return {
      text: `${under(
        `# Learnings with "${line(words.join(' '))}"`,
        found.length === 0
          ? 'There are none.'
          : list(
              found.map(
                ({ feature: of, category, body, reason }) =>
                  `${category}${of === null ? '' : `, ${of}`}: ${body}${reason === null ? '' : ` (why: ${reason})`}`,
              ),
            ),
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => kind === 'learning.added',
};
