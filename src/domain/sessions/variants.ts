// What two variants of a recipe achieved, with 95% intervals. It claims nothing before each had enough sessions.

// Variants of a recipe: while there are any, each session gets one of them or the recipe itself, at random.

/** The recipe as it is without a variant. */
export const BASE = 'base';

/** Among the names of override files: `task_execution.short` is the variant `short`. */
export const variantNames = (recipe: string, files: Iterable<string>): string[] =>
  [...files].flatMap((file) => (file.startsWith(`${recipe}.`) ? [file.slice(recipe.length + 1)] : []));

/** The same session always gets the same one. Its id is random, so any two variants get about as many sessions. */
export function chooseVariant(names: readonly string[], session_id: string): string {
  const choices = [BASE, ...names].sort();
  return choices[hash(session_id) % choices.length] ?? BASE;
}

/** FNV-1a: spreads similar texts over all 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}

/** One session that was not interrupted. */
export type VariantSession = { isDone: boolean; cost_usd: number; turns: number };

export type Interval = { value: number; low: number; high: number };

export type Measure = 'done' | 'cost_usd' | 'turns';

type Compared = {
  one: Interval;
  other: Interval;
  /** The second without the first. */
  difference: Interval;
  /** What the second does in comparison; null if the sessions do not tell. */
  verdict: 'more' | 'less' | null;
};

export type Comparison = {
  sessions: { one: number; other: number };
  /** Null while a variant has too few sessions. */
  measures: Readonly<Record<Measure, Compared>> | null;
};

/** With fewer, the intervals are too wide to tell anything, and those of the means are not to be trusted. */
export const MIN_SESSIONS = 20;

export function compareVariants(
  one: readonly VariantSession[],
  other: readonly VariantSession[],
): Comparison {
  const sessions = { one: one.length, other: other.length };
  if (Math.min(one.length, other.length) < MIN_SESSIONS) return { sessions, measures: null };
  const means = (read: (session: VariantSession) => number): Compared =>
    compareMeans(one.map(read), other.map(read));
  return {
    sessions,
    measures: {
      done: compareShares(one, other),
      cost_usd: means(({ cost_usd }) => cost_usd),
      turns: means(({ turns }) => turns),
    },
  };
}

const Z = 1.959964;

/** Wilson's intervals, and Newcombe's for their difference: they hold for few sessions and for shares near 0 and 1. */
function compareShares(one: readonly VariantSession[], other: readonly VariantSession[]): Compared {
  const [a, b] = [wilson(one), wilson(other)];
  const value = b.value - a.value;
  const difference = {
    value,
    low: value - Math.hypot(b.value - b.low, a.high - a.value),
    high: value + Math.hypot(b.high - b.value, a.value - a.low),
  };
  return { one: a, other: b, difference, verdict: verdict(difference) };
}

function wilson(sessions: readonly VariantSession[]): Interval {
  const count = sessions.length;
  const value = sessions.filter(({ isDone }) => isDone).length / count;
  const square = Z ** 2 / count;
  const centre = (value + square / 2) / (1 + square);
  const reach = (Z / (1 + square)) * Math.sqrt((value * (1 - value)) / count + square / (4 * count));
  return { value, low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}

/** Student's intervals, and Welch's for the difference: the variants may spread differently. */
function compareMeans(one: readonly number[], other: readonly number[]): Compared {
  const [a, b] = [spread(one), spread(other)];
  const variance = a.variance + b.variance;
  const freedom =
    variance === 0
      ? one.length + other.length - 2
      : variance ** 2 / (a.variance ** 2 / (one.length - 1) + b.variance ** 2 / (other.length - 1));
  const difference = around(b.mean - a.mean, variance, freedom);
  return {
    one: around(a.mean, a.variance, one.length - 1),
    other: around(b.mean, b.variance, other.length - 1),
    difference,
    verdict: verdict(difference),
  };
}

/** `variance`: of the mean. */
function spread(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) / values.length };
}

function around(value: number, variance: number, freedom: number): Interval {
  const reach = studentQuantile(freedom) * Math.sqrt(variance);
  return { value, low: value - reach, high: value + reach };
}

/** The 97.5% quantile of Student's distribution by its expansion in 1 / freedom; exact to 0.001 from 10 on. */
const studentQuantile = (freedom: number): number =>
  Z +
  (Z ** 3 + Z) / (4 * freedom) +
  (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * freedom ** 2) +
  (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * freedom ** 3);

/** Sums of equal amounts differ by as little. */
const ROUNDING = 1e-9;

const verdict = ({ low, high }: Interval): Compared['verdict'] =>
  low > ROUNDING ? 'more' : high < -ROUNDING ? 'less' : null;
