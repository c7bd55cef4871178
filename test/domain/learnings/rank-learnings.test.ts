import { expect, it } from 'vitest';
import { fuseRankings, usefulness } from '../../../src/domain/learnings/rank-learnings.ts';

const learning = (id: number, given = 0, passed = 0, confirmations = 0) => ({
  id,
  given,
  passed,
  confirmations,
});
const ids = (ranked: { id: number }[]): number[] => ranked.map(({ id }) => id);

it('a learning that two rankings put high comes before one that only one of them has', () => {
  const known = [1, 2, 3, 4].map((id) => learning(id));
  expect(
    ids(
      fuseRankings(
        [
          [1, 2, 3],
          [3, 4],
        ],
        known,
      ),
    ),
  ).toEqual([3, 1, 4, 2]);
  expect(ids(fuseRankings([[], []], known))).toEqual([]);
});

it('a learning that helped before overtakes its neighbours, but not a far more relevant one', () => {
  const ranking = [1, 2, 3, 4, 5, 6, 7, 8];
  const known = ranking.map((id) => (id === 3 || id === 8 ? learning(id, 20, 20) : learning(id)));
  const ranked = ids(fuseRankings([ranking], known));
  // The one in the third place is first now; the one in the eighth has climbed, and is not among the first three.
  expect(ranked.indexOf(3)).toBe(0);
  expect(ranked.indexOf(8)).toBeGreaterThan(3);
  expect(ranked.indexOf(8)).toBeLessThan(7);
});

it('a learning that never helped falls a little, and a confirmation lifts it a little', () => {
  expect(usefulness(learning(1))).toBe(1);
  expect(usefulness(learning(1, 20, 0))).toBeGreaterThan(0.95);
  expect(usefulness(learning(1, 20, 0))).toBeLessThan(1);
  expect(usefulness(learning(1, 20, 20, 99))).toBeLessThan(1.08);
  expect(usefulness(learning(1, 0, 0, 1))).toBeGreaterThan(1);
});
