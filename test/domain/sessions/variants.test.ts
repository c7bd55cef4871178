import { expect, it } from 'vitest';
import {
  chooseVariant,
  compareVariants,
  type Interval,
  MIN_SESSIONS,
  type VariantSession,
} from '../../../src/domain/sessions/variants.ts';

const sessions = (count: number, done: number, turns: readonly number[] = [10]): VariantSession[] =>
  Array.from({ length: count }, (_, index) => ({
    isDone: index < done,
    cost_usd: 0.5,
    turns: turns[index % turns.length] ?? 0,
  }));

const rounded = ({ value, low, high }: Interval): number[] =>
  [value, low, high].map((one) => Number(one.toFixed(3)));

it('a session always gets the same variant, and each variant about as many sessions', () => {
  const counts: Record<string, number> = {};
  for (let number = 0; number < 3_000; number++) {
    const id = `3f2a1b2c-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const variant = chooseVariant(['short', 'long'], id);
    expect(chooseVariant(['long', 'short'], id)).toBe(variant);
    counts[variant] = (counts[variant] ?? 0) + 1;
  }
  expect(Object.keys(counts).sort()).toEqual(['base', 'long', 'short']);
  for (const count of Object.values(counts)) expect(Math.abs(count - 1_000)).toBeLessThan(100);
});

it('nothing is claimed before each variant had enough sessions, however clear they look', () => {
  const few = MIN_SESSIONS - 1;
  expect(compareVariants(sessions(few, 0), sessions(900, 900))).toEqual({
    sessions: { one: few, other: 900 },
    measures: null,
  });
  expect(compareVariants([], [])).toMatchObject({ measures: null });
});

it('shares get the intervals of Wilson and Newcombe', () => {
  // Newcombe 1998, table II, case a: 56 of 70 against 48 of 80.
  const { measures } = compareVariants(sessions(80, 48), sessions(70, 56));
  expect(measures && rounded(measures.done.difference)).toEqual([0.2, 0.052, 0.334]);
  expect(measures?.done.verdict).toBe('more');
  const same = compareVariants(sessions(20, 15), sessions(20, 15)).measures?.done;
  expect(same && rounded(same.one)).toEqual([0.75, 0.531, 0.888]);
  expect(same?.verdict).toBeNull();
});

it("means get Student's and Welch's intervals, and values that never differ no claim", () => {
  const { measures } = compareVariants(sessions(20, 10, [8, 12]), sessions(40, 20, [4, 6]));
  // t(19) = 2.0930 and t(23.7) = 2.0653; the deviations are 2.052 and 1.013.
  expect(measures && rounded(measures.turns.one)).toEqual([10, 9.04, 10.96]);
  expect(measures && rounded(measures.turns.difference)).toEqual([-5, -6.004, -3.996]);
  expect(measures?.turns.verdict).toBe('less');
  const third = (count: number) => sessions(count, 0).map((one) => ({ ...one, cost_usd: 0.1 + 0.2 }));
  expect(compareVariants(third(20), third(27)).measures?.cost_usd.verdict).toBeNull();
  expect(measures?.cost_usd).toMatchObject({ difference: { value: 0, low: 0, high: 0 }, verdict: null });
});
