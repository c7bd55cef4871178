import type { Corpus } from './corpus.ts';
import type { Rank } from './rankings.ts';

/** How much of what helps is among the first five, and in the whole prompt; how early the first of it comes; queries that get none. */
export type Score = { recallAt5: number; recall: number; mrr: number; empty: number };

export async function scoreRanking({ queries }: Corpus, rank: Rank): Promise<Score> {
  const sum = { recallAt5: 0, recall: 0, mrr: 0, empty: 0 };
  for (const query of queries) {
    const ranked = await rank(query);
    const first = ranked.findIndex((id) => query.relevant.includes(id));
    sum.recallAt5 += shareIn(ranked.slice(0, 5), query.relevant);
    sum.recall += shareIn(ranked, query.relevant);
    sum.mrr += first < 0 ? 0 : 1 / (first + 1);
    if (first < 0) sum.empty += 1;
  }
  const mean = (total: number): number => total / queries.length;
  return { recallAt5: mean(sum.recallAt5), recall: mean(sum.recall), mrr: mean(sum.mrr), empty: sum.empty };
}

const shareIn = (found: readonly string[], relevant: readonly string[]): number =>
  relevant.filter((id) => found.includes(id)).length / relevant.length;
