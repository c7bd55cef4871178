import type { Embedder } from '../../src/context/ollama.ts';
import { retrieve } from '../../src/context/retrieve.ts';
import { searchWords } from '../../src/domain/learnings/search-words.ts';
import { newestOf } from '../../src/store/learnings/learning-lists.ts';
import type { Store } from '../../src/store/open.ts';
import type { Corpus } from './corpus.ts';

export type Query = Corpus['queries'][number];
/** The ids of the corpus, as a prompt would get them: those of the feature first, then those of the project. */
export type Rank = (query: Query) => Promise<string[]>;

const TOP = 5;

export function rankings(
  store: Store,
  { features }: Corpus,
  ids: ReadonlyMap<string, number>,
  embedder: Embedder | null,
): { name: string; rank: Rank }[] {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const named = (found: readonly number[]): string[] => found.map((id) => names.get(id) ?? '');
  const by =
    (use: { words: boolean; vectors: boolean }): Rank =>
    async ({ feature, title, description }) => {
      const text = `${title}\n${description ?? ''}`;
      const wanted = {
        text,
        words: use.words ? searchWords(text, 24) : [],
        feature,
        foundations: features.find(({ name }) => name === feature)?.dependencies ?? [],
        retried_task: null,
        top_k: TOP,
      };
      return named((await retrieve(store, wanted, use.vectors ? embedder : null)).map(({ id }) => id));
    };
  const newest: Rank = ({ feature }) =>
    store.read(async (db) =>
      named([...(await newestOf(db, feature, TOP)), ...(await newestOf(db, null, TOP))]),
    );
  return [
    { name: 'newest first', rank: newest },
    { name: 'words (BM25)', rank: by({ words: true, vectors: false }) },
    ...(embedder === null
      ? []
      : [
          { name: 'embeddings', rank: by({ words: false, vectors: true }) },
          { name: 'fused', rank: by({ words: true, vectors: true }) },
        ]),
  ];
}
