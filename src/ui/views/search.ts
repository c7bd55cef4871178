import { z } from 'zod';
import { type FoundEntry, type SnippetPart, snippetParts } from '../../context/search.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type Learning, learningsById } from '../../queue/learnings/learnings.ts';
import { featureDetails } from '../../queue/tasks/features.ts';
import type { UiBackend } from '../backend.ts';
import { defineView } from '../view.ts';
import { learningHref } from './knowledge.ts';

const MAX_HITS = 30;
const MAX_QUERY = 1_000;

export type Hit = Pick<FoundEntry, 'kind' | 'ref' | 'title'> & {
  parts: readonly SnippetPart[];
  /** The page that shows it; null where no page does. */
  href: string | null;
};

export type SearchView = { found: readonly Hit[] };

export const search = defineView({
  path: '/api/search',
  input: z.strictObject({ q: z.string(), feature: z.string().optional() }),
  read: async (backend: UiBackend, { q, feature = null }): Promise<SearchView> => {
    const text = q.slice(0, MAX_QUERY);
    if (!/[\p{L}\p{N}]/u.test(text)) throw new Refusal('Type a word or two to search for.');
    if (feature !== null) await featureDetails(backend.queue, feature);
    const found = await backend.search({ text, feature, limit: MAX_HITS });
    const ids = found.flatMap(({ kind, ref }) => (kind === 'learning' ? [Number(ref)] : []));
    const learnings = new Map((await learningsById(backend.queue, ids)).map((one) => [one.id, one]));
    return {
      found: found.map((entry) => ({
        kind: entry.kind,
        ref: entry.ref,
        title: entry.title,
        parts: snippetParts(entry),
        href: hitHref(entry, learnings),
      })),
    };
  },
});

function hitHref({ kind, ref }: FoundEntry, learnings: ReadonlyMap<number, Learning>): string | null {
  switch (kind) {
    case 'task':
      return `/tasks/${ref}`;
    case 'journal':
      return `/sessions/${encodeURIComponent(ref)}`;
    case 'feature':
      return `/knowledge?${new URLSearchParams({ feature: ref })}`;
    case 'document':
      return `/knowledge?${new URLSearchParams({ file: ref })}`;
    case 'learning': {
      // A person may have removed it since the search.
      const learning = learnings.get(Number(ref));
      return learning === undefined ? null : learningHref(learning);
    }
    case 'discipline':
      return null;
  }
}
