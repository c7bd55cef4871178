// Whether a learning says what another one has said. In doubt it does not: two learnings that say nearly the same cost a few
// tokens, and one that was taken for another is lost.
import { isStopWord, lowerCaseWords } from './search-words.ts';

/**
 * repeat: the same thought in slightly other words. conflict: the same thought with the opposite sense, or with another number,
 * name or path in it. other: none of these.
 */
export type Comparison = 'repeat' | 'conflict' | 'other';

/** Of the words of the longer text, how many the other must have, too, to be about the same. */
const ALIKE = 0.8;
const SAME_SUBJECT = 0.6;

export function compareLearnings(one: string, other: string): Comparison {
  const wording = normalizeWording(one);
  if (wording !== '' && wording === normalizeWording(other)) return 'repeat';
  const [left, right] = [parseThought(one), parseThought(other)];
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
  // "Port 3000" and "Port 4000" share half of their words, and all but the number.
  if (isReplaced && [...onlyLeft, ...onlyRight].every(isNumber)) return 'conflict';
  return (opposed || isReplaced) && alike >= SAME_SUBJECT && isPlain ? 'conflict' : 'other';
}

const FILLERS =
  /\b(?:(?:do not|don't|never) forget(?: to| that)?|make sure(?: to| that)?|be (?:careful|aware)(?: that)?|note(?: that)?|remember(?: to| that)?)\b:?/gi;

/** Words that change nothing, wherever they stand. Others may: only, some, may, off, unless, own, from. */
const EMPTY_WORDS = new Set(
  (
    'a actually all also always an and are be been being do does each entire every is it its just our please really simply single so ' +
    'that the their then there these this those we whole you your'
  ).split(' '),
);

/** Ways of saying the same, brought to one of them. */
const REWRITES: readonly (readonly [ways: RegExp, one: string])[] = [
  [FILLERS, ' '],
  [/\bnot (?:just|only)\b/gi, 'not only'],
  [/\bnot (?=all\b|every|each\b)/gi, 'not-'],
  [/\b(?:can't|cannot)\b/gi, 'can not'],
  [/\bwon't\b/gi, 'will not'],
  [/n't\b|\bnever\b/gi, ' not'],
  [/\b(?:gets?|got|getting) (?=\p{L}+ed\b)/giu, ' '],
  [/\b(?:otherwise|or else)\b/gi, 'or'],
  [/\b(?:should|shall|(?:needs?|has|have) to)\b/gi, 'must'],
  [/\b(?:at|on|upon)\b/gi, 'in'],
  [/\b(?:when|whenever)\b/gi, 'if'],
  [/\b(?:requires?|needs?)\b/gi, 'need'],
];

/**
 * A text as it is compared for being said again: its words in their order and its signs, without what says nothing. A word more,
 * another order, `>` for `<`: another thought.
 */
function normalizeWording(text: string): string {
  const plain = REWRITES.reduce(
    (said, [ways, one]) => said.replace(ways, one),
    text.normalize('NFKC').replaceAll('’', "'"),
  );
  return [...lowerCaseWords(plain).matchAll(WORD_OR_SIGN)]
    .map(([part]) => part)
    .filter((part) => !EMPTY_WORDS.has(part))
    .map((part) => part.replace(/(?<=\p{L}{3}[^s])s$/u, ''))
    .join(' ');
}

/** Quotation marks, brackets, and what ends a sentence or a part of it are no signs; a mark before a word is one: -5, .env, !ready. */
const WORD_OR_SIGN = /[\p{L}\p{N}\p{M}]+|(?![`´¨])\p{S}|[&*%\\/#@]|[-.!:](?=[\p{L}\p{N}(=])|'(?=\p{L})/gu;

type Word = { key: string; specific: boolean };
type Thought = { words: Word[]; keys: Set<string>; negations: number };

const isSpecific = ({ specific }: Word): boolean => specific;
const isNumber = ({ key }: Word): boolean => /^\p{N}/u.test(key);

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

function parseThought(text: string): Thought {
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
        if (part === 'non') negations += 1;
        else if (part.length > 1 && !isStopWord(part)) words.push({ key: stem(part), specific: false });
  }
  return { words, keys: new Set(words.map(({ key }) => key)), negations };
}

/** Numbers, paths, identifiers, letters, and words in capitals: what two facts may differ in and nothing else. */
const isName = (word: string): boolean =>
  /\p{N}|[_$@#/\\:=]|\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2}/u.test(word) ||
  (/^\p{L}$/u.test(word) && !isStopWord(word.toLowerCase()));

/** Plural and the common endings of verbs; more would make one word of two. */
function stem(word: string): string {
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
    const [one = '', other = ''] = pair.split(' ').map(stem);
    return [
      [one, other],
      [other, one],
    ] as const;
  }),
);
