// The comparison of two variants of a recipe, for a person.

import { type Comparison, type Interval, type Measure, MIN_SESSIONS } from '../domain/sessions/variants.ts';
import { plural } from '../domain/text/text.ts';
import type { Look } from './terminal/row.ts';
import { table } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

type Format = {
  title: string;
  digits: number;
  unit?: { before?: string; after?: string; factor?: number };
  claim: Record<'more' | 'less', string>;
};

const MEASURES: Readonly<Record<Measure, Format>> = {
  done: {
    title: 'done',
    digits: 0,
    unit: { after: '%', factor: 100 },
    claim: { more: 'is done more often', less: 'is done less often' },
  },
  cost_usd: {
    title: 'cost',
    digits: 2,
    unit: { before: '$' },
    claim: { more: 'costs more', less: 'costs less' },
  },
  turns: {
    title: 'turns',
    digits: 1,
    claim: { more: 'takes more turns', less: 'takes fewer turns' },
  },
};

export function comparisonText(
  [one, other]: readonly [string, string],
  { sessions, measures }: Comparison,
  look: Look,
): string {
  if (measures === null)
    return wrap(
      `Too few sessions to compare: each variant needs ${MIN_SESSIONS}; ${one} has had ${plural(sessions.one, 'session')}, ${other} ${plural(sessions.other, 'session')}. Sessions that were interrupted do not count.`,
      look.columns,
    );
  const names = Object.keys(MEASURES) as Measure[];
  const { one: first, other: second } = measures.cost_usd;
  // An agent that reports no cost is not free.
  const isKnown = (name: Measure): boolean => name !== 'cost_usd' || first.value + second.value > 0;
  const cells = (read: (name: Measure) => Interval, isDifference = false): string[] =>
    names.map((name) =>
      isKnown(name) ? intervalText(read(name), MEASURES[name], isDifference) : 'not reported',
    );
  const shown = table(
    [
      { title: 'A SESSION', cells: ['sessions', ...names.map((name) => MEASURES[name].title)] },
      { title: one, cells: [String(sessions.one), ...cells((name) => measures[name].one)] },
      { title: other, cells: [String(sessions.other), ...cells((name) => measures[name].other)] },
      { title: 'DIFFERENCE', cells: ['', ...cells((name) => measures[name].difference, true)] },
    ],
    look,
  );
  const claims = names.flatMap((name) => {
    const { verdict } = measures[name];
    return verdict === null ? [] : [MEASURES[name].claim[verdict]];
  });
  const sentence =
    claims.length === 0
      ? 'These sessions do not tell which of the two is better.'
      : `Compared with ${one}, a session with ${other} ${claims.join(' and ')}. About the rest these sessions tell nothing.`;
  return `${shown}\n\n${wrap(`${sentence} In brackets: 95% intervals.`, look.columns)}`;
}

/** For example: $0.31 (0.25 to 0.37). A difference has its sign. */
function intervalText({ value, low, high }: Interval, format: Format, isDifference: boolean): string {
  const { digits, unit: { before = '', after = '', factor = 1 } = {} } = format;
  const show = (number: number, isWithUnit: boolean): string => {
    const amount = Math.abs(number * factor).toFixed(digits);
    const sign = Number(amount) === 0 ? '' : number < 0 ? '-' : isDifference ? '+' : '';
    return isWithUnit ? `${sign}${before}${amount}${after}` : `${sign}${amount}`;
  };
  return `${show(value, true)} (${show(low, false)} to ${show(high, false)})`;
}
