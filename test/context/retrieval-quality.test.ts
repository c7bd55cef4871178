// The judged corpus behind docs/retrieval.md: what the table says must stay true, and its rows for embeddings must work where a server answers.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Corpus, fillCorpus } from '../../scripts/retrieval/corpus.ts';
import { rankings } from '../../scripts/retrieval/rankings.ts';
import { scoreRanking } from '../../scripts/retrieval/score.ts';
import { ollama } from '../../src/context/ollama.ts';
import { listLearnings } from '../../src/queue/learnings/learnings.ts';
import { fakeOllama, unhurried } from '../support/ollama.ts';
import { openTestQueue } from '../support/queue.ts';

const corpus: Corpus = JSON.parse(readFileSync('test/fixtures/knowledge/corpus.json', 'utf8'));

it('retrieval finds three times the relevant learnings that the newest ones contain, and merges no two of them', async () => {
  const queue = await openTestQueue();
  const ids = await fillCorpus(queue, corpus);
  const { learnings } = await listLearnings(queue, {}, 1_000);
  expect(learnings.filter(({ conflicts_with }) => conflicts_with !== null)).toEqual([]);
  const fake = await fakeOllama();
  fake.dimensions = 512;
  const embedder = ollama({ url: fake.url, model: 'nomic-embed-text' }, unhurried);
  const scores = new Map<string, Awaited<ReturnType<typeof scoreRanking>>>();
  for (const { name, rank } of rankings(queue.store, corpus, ids, embedder))
    scores.set(name, await scoreRanking(corpus, rank));
  const [newest, words, embeddings, fused] = ['newest first', 'words (BM25)', 'embeddings', 'fused'].map(
    (name) => scores.get(name),
  );
  expect(words?.recallAt5).toBeGreaterThan(3 * (newest?.recallAt5 ?? 1));
  expect(words?.mrr).toBeGreaterThan(0.55);
  // These vectors know words and no meanings, so they can find no more than the words do; what counts is that they are asked.
  expect(embeddings?.recallAt5).toBeGreaterThan(newest?.recallAt5 ?? 1);
  expect(fused?.recallAt5).toBeGreaterThan(newest?.recallAt5 ?? 1);
  expect(embedder.problem()).toBeNull();
  expect(new Set(fake.asked.flat()).size).toBeGreaterThan(corpus.learnings.length);
});
