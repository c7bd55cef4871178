// Fuses several rankings into one. Whether a learning helped before counts a little: enough to order neighbours, too little
// to lift an unrelated one.
import type { Learning } from './learning.ts';

/** The constant of reciprocal rank fusion: the larger, the smaller the advantage of the first places. */
const SMOOTHING = 60;
/** Changes the score by at most 5 % each way: about three places. */
const HELP_WEIGHT = 0.1;
const CONFIRMATION_WEIGHT = 0.01;
const MAX_CONFIRMATIONS = 3;

type LearningRecord = Pick<Learning, 'id' | 'confirmations' | 'given' | 'passed'>;

/** The best first; among equals the newest. */
export function fuseRankings<One extends LearningRecord>(
  rankings: readonly (readonly number[])[],
  learnings: readonly One[],
): One[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [index, id] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (SMOOTHING + index + 1));
  const scored = learnings.flatMap((one) => {
    const score = scores.get(one.id);
    return score === undefined ? [] : [{ one, score: score * usefulness(one) }];
  });
  return scored
    .sort((left, right) => right.score - left.score || right.one.id - left.one.id)
    .map(({ one }) => one);
}

/** Between 0.95 and 1.08; 1 for a learning that no session was given yet. */
export function usefulness({ given, passed, confirmations }: Omit<LearningRecord, 'id'>): number {
  const share = (passed + 1) / (given + 2);
  return 1 + HELP_WEIGHT * (share - 0.5) + CONFIRMATION_WEIGHT * Math.min(confirmations, MAX_CONFIRMATIONS);
}

/** The ids of the nearest vectors, nearest first. A vector of another length is of another model and is skipped. */
export function nearestVectors(
  to: Float32Array,
  among: readonly { id: number; vector: Float32Array }[],
  limit: number,
): number[] {
  const length = norm(to);
  return among
    .flatMap(({ id, vector }) =>
      vector.length === to.length ? [{ id, score: dot(to, vector) / (length * norm(vector) || 1) }] : [],
    )
    .sort((left, right) => right.score - left.score || right.id - left.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

const norm = (vector: Float32Array): number => Math.sqrt(dot(vector, vector));
