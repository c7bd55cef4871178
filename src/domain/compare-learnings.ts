// Whether a learning says what another one has said. In doubt it does not: two learnings that say nearly the same cost a few
// tokens, and one that was taken for another is lost.
import { isSilent } from './words.ts';

/**
 * repeat: the same thought in slightly other words. conflict: the same thought with the opposite sense, or with another number,
 * name or path in it. other: none of these.
 */
export type Comparison = 'repeat' | 'conflict' | 'other';

/** Of the words of the longer text, how many the other must have, too. */
const ALIKE = 0.8;
const SAME_SUBJECT = 0.6;
const IN_ORDER = 0.7;

export function compareLearnings(one: string, other: string): Comparison {
  const [left, right] = [thoughtOf(one), thoughtOf(other)];
  const onlyLeft = left.words.filter(({ key }) => !right.keys.has(key));
  const onlyRight = right.words.filter(({ key }) => !left.keys.has(key));
  const shared = left.keys.size - new Set(onlyLeft.map(({ key }) => key)).size;
  const alike = shared / Math.max(left.keys.size, right.keys.size);
  if (shared === 0) return 'other';
  const opposed = onlyLeft.some(({ key }) => onlyRight.some((word) => areOpposite(key, word.key)));
  const isReplaced = onlyLeft.some(isSpecific) && onlyRight.some(isSpecific);
  const isPlain = [...onlyLeft, ...onlyRight].every(
    (word) => word.specific || OPPOSITES.has(word.key) || alike >= ALIKE,
  );
  if (left.negations % 2 !== right.negations % 2)
    return alike >= SAME_SUBJECT && !isReplaced ? 'conflict' : 'other';
  if (opposed || isReplaced) return alike >= SAME_SUBJECT && isPlain ? 'conflict' : 'other';
  // Words on both sides that the other lacks are two subjects; a name that only one has is something it adds.
  if ((onlyLeft.length > 0 && onlyRight.length > 0) || [...onlyLeft, ...onlyRight].some(isSpecific))
    return 'other';
  return alike >= ALIKE && isInOrder(left, right) ? 'repeat' : 'other';
}

type Word = { key: string; specific: boolean };
type Thought = { words: Word[]; keys: Set<string>; negations: number };

const isSpecific = ({ specific }: Word): boolean => specific;

const FILLERS =
  /\b(?:(?:do not|don't|never) forget(?: to| that)?|make sure(?: to| that)?|be (?:careful|aware)(?: that)?|note(?: that)?|remember(?: to| that)?)\b:?/gi;
const NEGATIONS = new Set([
  'not',
  'no',
  'never',
  'none',
  'neither',
  'nor',
  'nothing',
  'cannot',
  'without',
  'avoid',
  'unable',
]);

function thoughtOf(text: string): Thought {
  const plain = text.normalize('NFKC').replaceAll('’', "'").replace(FILLERS, ' ');
  const words: Word[] = [];
  let negations = 0;
  for (const [token] of plain.matchAll(/[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}_$@#./\\:%=*+~'-]*/gu)) {
    const word = token.replace(/[.:'/\\*+~-]+$/, '');
    const lower = word.toLowerCase();
    if (NEGATIONS.has(lower) || lower.endsWith("n't")) negations += 1;
    else if (isName(word)) words.push({ key: lower, specific: true });
    else
      for (const part of lower.split(/[-']/))
        if (part.length > 1 && !isSilent(part)) words.push({ key: stemOf(part), specific: false });
  }
  return { words, keys: new Set(words.map(({ key }) => key)), negations };
}

/** Numbers, paths, identifiers, letters, and words in capitals: what two facts may differ in and nothing else. */
const isName = (word: string): boolean =>
  /\p{N}|[_$@#/\\:=]|\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2}/u.test(word) ||
  (/^\p{L}$/u.test(word) && !isSilent(word.toLowerCase()));

const isInOrder = (left: Thought, right: Thought): boolean =>
  longestCommon(left.words, right.words) / Math.max(left.words.length, right.words.length) >= IN_ORDER;

function longestCommon(left: readonly Word[], right: readonly Word[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const { key } of left) {
    const next = [0];
    for (const [index, word] of right.entries())
      next.push(word.key === key ? (row[index] ?? 0) + 1 : Math.max(next[index] ?? 0, row[index + 1] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Plural and the common endings of verbs; more would make one word of two. */
function stemOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  for (const ending of ['ing', 'ed', 'es', 's'])
    if (word.length - ending.length >= 3 && word.endsWith(ending) && !word.endsWith('ss'))
      return word.slice(0, -ending.length).replace(/e$/, '');
  return word.length > 3 ? word.replace(/e$/, '') : word;
}

const PAIRS = [
  'always sometimes',
  'before after',
  'enable disable',
  'allow deny',
  'allow forbid',
  'true false',
  'sync async',
  'synchronous asynchronous',
  'first last',
  'minimum maximum',
  'more less',
  'more fewer',
  'require optional',
  'open close',
  'start stop',
  'ascend descend',
  'above below',
  'include exclude',
  'local remote',
  'safe unsafe',
  'mutable immutable',
  'public private',
  'client server',
];

const areOpposite = (one: string, other: string): boolean =>
  OPPOSITES.get(one) === other || OPPOSITES.get(other) === one;

const OPPOSITES = new Map(
  PAIRS.flatMap((pair) => {
    const [one = '', other = ''] = pair.split(' ').map(stemOf);
    return [
      [one, other],
      [other, one],
    ] as const;
  }),
);
