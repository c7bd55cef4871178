// Graphs to lay out, drawn at random.
import fc from 'fast-check';
import type { Linked } from '../../src/domain/graph/sorted.ts';

type Drawn = { ids: number[]; picks: number[][] };

const drawn = (most: number): fc.Arbitrary<Drawn> =>
  fc.integer({ min: 0, max: most }).chain((size) =>
    fc.record({
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 5 * most }), { minLength: size, maxLength: size }),
      picks: fc.array(fc.array(fc.nat(1_000), { maxLength: 4 }), { minLength: size, maxLength: size }),
    }),
  );

/** Every node waits for up to four of those before it, in an order that says nothing about ids. */
export const acyclic = (most: number): fc.Arbitrary<Linked[]> =>
  drawn(most).map(({ ids, picks }) =>
    ids.map((id, place) => ({
      id,
      depends_on: place === 0 ? [] : (picks[place] ?? []).map((pick) => ids[pick % place] ?? 0),
    })),
  );

/** Cycles, loops, doubles, and what is not there. */
export const anything = (most: number): fc.Arbitrary<Linked[]> =>
  drawn(most).map(({ ids, picks }) =>
    ids.map((id, place) => ({
      id,
      depends_on: (picks[place] ?? []).map((pick) => ids[pick % (ids.length + 1)] ?? 0),
    })),
  );
