import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { type FoundEntry, type SnippetPart, snippetParts } from '../../knowledge/search.ts';
import { featureDetails } from '../../queue/features.ts';
import { showLearning } from '../../queue/learnings.ts';
import type { Queue } from '../../queue/queue.ts';
import type { UiOffice } from '../office.ts';
import { defineView } from '../view.ts';

const SHOWN = 30;
const MAX_QUERY = 1_000;

export type Hit = Pick<FoundEntry, 'kind' | 'ref' | 'title'> & {
  parts: readonly SnippetPart[];
  /** Where on these pages it is whole; null where on none. */
  href: string | null;
};

export type SearchView = { found: readonly Hit[] };

export const search = defineView({
  path: '/api/search',
  input: z.strictObject({ q: z.string(), feature: z.string().optional() }),
  read: async (office: UiOffice, { q, feature = null }): Promise<SearchView> => {
    const text = q.slice(0, MAX_QUERY);
    if (!/[\p{L}\p{N}]/u.test(text)) throw new Refusal('Say what to look for: a word or two.');
    if (feature !== null) await featureDetails(office.queue, feature);
    const found = await office.search({ text, feature, limit: SHOWN });
    return {
      found: await Promise.all(
        found.map(async (entry) => ({
          kind: entry.kind,
          ref: entry.ref,
          title: entry.title,
          parts: snippetParts(entry),
          href: await hrefOf(office.queue, entry),
        })),
      ),
    };
  },
});

async function hrefOf(queue: Queue, { kind, ref }: FoundEntry): Promise<string | null> {
  switch (kind) {
    case 'task':
      return `/tasks/${ref}`;
    case 'journal':
      return `/sessions/${encodeURIComponent(ref)}`;
    case 'feature':
      return `/knowledge?${new URLSearchParams({ feature: ref })}`;
    case 'document':
      return `/knowledge?${new URLSearchParams({ file: ref })}`;
    case 'learning':
      return hrefOfLearning(queue, Number(ref));
    case 'discipline':
      return null;
  }
}

async function hrefOfLearning(queue: Queue, id: number): Promise<string> {
  const { learning } = await showLearning(queue, id);
  const where = new URLSearchParams({
    ...(learning.feature !== null && { feature: learning.feature }),
    ...(learning.archived !== null && { archived: '1' }),
  });
  return `/knowledge?${where}#learning-${id}`;
}
