// Chooses the learnings for a session: the best of its feature, of the features it builds on and of the project. On a retry,
// also what earlier sessions of the task learned.
import type { PromptContext } from '../domain/context.ts';
import type { Learning } from '../domain/learnings/learning.ts';
import { fuseRankings, nearestVectors } from '../domain/learnings/rank-learnings.ts';
import type { Reader } from '../store/database.ts';
import { loadVectors } from '../store/learnings/embeddings.ts';
import { matchLearnings } from '../store/learnings/learning-index.ts';
import {
  activeContradictions,
  learningIdsOfTask,
  newestLearningIds,
} from '../store/learnings/learning-lists.ts';
import { findLearnings } from '../store/learnings/learnings.ts';
import type { Store } from '../store/open.ts';
import { embedMissing } from './embed-missing.ts';
import type { Embedder } from './ollama.ts';

export type RetrievalQuery = {
  /** What the session is about, in the words of its author: `text` for vectors, `words` for full-text search. */
  text: string;
  words: readonly string[];
  feature: string | null;
  /** Features that its feature builds on. */
  foundations: readonly string[];
  /** The task, if a session has tried it before. */
  retried_task: number | null;
  top_k: number;
};

/** Each ranking supplies this many candidates for each learning that is chosen. */
const POOL_FACTOR = 4;
/** Learnings of the features it builds on, per learning of its own. */
const FOUNDATION_SHARE = 0.4;

export async function retrieve(
  store: Store,
  query: RetrievalQuery,
  embedder: Embedder | null,
): Promise<PromptContext['learnings']> {
  const vector = embedder === null ? null : await embedMissing(store, embedder, query);
  return store.read(async (db) => {
    const near = vector === null ? NOTHING_NEAR : await findNearest(db, vector, query);
    const chosen = [
      ...(await findForFeature(db, query, near)),
      ...(await findForProject(db, query, near)),
      ...(query.retried_task === null
        ? []
        : await findLearnings(db, await learningIdsOfTask(db, query.retried_task, query.top_k))),
    ];
    return withConflicts(db, query.feature, chosen);
  });
}

export type QueryVector = { model: string; values: Float32Array };

/** The ids of the nearest learnings in each group. */
type Near = Record<'own' | 'foundations' | 'project', readonly number[]>;

const NOTHING_NEAR: Near = { own: [], foundations: [], project: [] };

async function findNearest(db: Reader, { model, values }: QueryVector, query: RetrievalQuery): Promise<Near> {
  const { feature, foundations, top_k } = query;
  const vectors = await loadVectors(db, model, feature === null ? [] : [feature, ...foundations]);
  const among = (isOf: (of: string | null) => boolean): number[] =>
    nearestVectors(
      values,
      vectors.filter((one) => isOf(one.feature)),
      top_k * POOL_FACTOR,
    );
  return {
    own: among((of) => of !== null && of === feature),
    foundations: among((of) => of !== null && of !== feature),
    project: among((of) => of === null),
  };
}

async function findForFeature(
  db: Reader,
  { words, feature, foundations, top_k }: RetrievalQuery,
  near: Near,
): Promise<Learning[]> {
  if (feature === null) return [];
  const own = await matchLearnings(db, [{ feature }], words, top_k * POOL_FACTOR);
  const scopes = foundations.map((name) => ({ feature: name }));
  const theirs = await matchLearnings(db, scopes, words, top_k * POOL_FACTOR);
  return [
    ...(await chooseBest(db, [own, near.own], await newestLearningIds(db, feature, top_k), top_k)),
    // In addition to its own, not instead of them: docs/retrieval.md has the measurements.
    ...(await chooseBest(db, [theirs, near.foundations], [], Math.ceil(top_k * FOUNDATION_SHARE))),
  ];
}

async function findForProject(db: Reader, { words, top_k }: RetrievalQuery, near: Near): Promise<Learning[]> {
  const newest = await newestLearningIds(db, null, top_k);
  if (newest.length === 0) return [];
  const matched = await matchLearnings(db, [{ feature: null }], words, top_k * POOL_FACTOR);
  return chooseBest(db, [matched, near.project], newest, top_k);
}

/** Ranked learnings first, then the newest ones: a feature with few learnings contributes all of them. */
async function chooseBest(
  db: Reader,
  rankings: readonly (readonly number[])[],
  newest: readonly number[],
  top_k: number,
): Promise<Learning[]> {
  const candidates = await findLearnings(db, [...new Set([...rankings.flat(), ...newest])]);
  const ranked = fuseRankings(rankings, candidates);
  const rest = candidates.filter((one) => newest.includes(one.id) && !ranked.includes(one));
  return [...ranked, ...rest].slice(0, top_k);
}

/** A newer learning that contradicts a chosen one replaces it, and quotes it. */
async function withConflicts(
  db: Reader,
  feature: string | null,
  chosen: readonly Learning[],
): Promise<PromptContext['learnings']> {
  const current = new Map((await newestOfEach(db, chosen)).map((one) => [one.id, one]));
  const older = await findLearnings(
    db,
    [...current.values()].flatMap(({ conflicts_with }) => conflicts_with ?? []),
  );
  return [...current.values()].map((one) => ({
    id: one.id,
    category: one.category,
    body: one.body,
    summary: one.summary,
    reason: one.reason,
    author: one.author,
    from: one.feature === feature || one.feature === null ? null : one.feature,
    // An archived learning is in no prompt, not even as a contradicted one.
    at_odds: older.find(({ id, archived }) => id === one.conflicts_with && archived === null)?.body ?? null,
  }));
}

/** Follows chains of contradictions. The recursion ends because the newer learning has the larger id. */
async function newestOfEach(db: Reader, chosen: readonly Learning[]): Promise<readonly Learning[]> {
  const newer = await activeContradictions(
    db,
    chosen.map(({ id }) => id),
    { proven: true },
  );
  if (newer.size === 0) return chosen;
  return newestOfEach(
    db,
    chosen.map((one) => newer.get(one.id) ?? one),
  );
}
