// Decides whether a learning repeats or contradicts another one. In doubt it does neither: two similar learnings cost a few
// tokens, but a learning that is taken for another is lost.
import { isStopWord, lowerCaseWords } from './search-words.ts';

/**
 * `repeat`: the same thought in slightly different words. `conflict`: the same thought with the opposite sense, or with another
 * number, name or path. `other`: neither.
 */
export type Comparison = 'repeat' | 'conflict' | 'other';

/** The share of the longer text's words that both must have. */
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
  // "Port 3000" and "Port 4000" share only half of their words, but differ only in the number.
  if (isReplaced && [...onlyLeft, ...onlyRight].every(isNumber)) return 'conflict';
  return (opposed || isReplaced) && alike >= SAME_SUBJECT && isPlain ? 'conflict' : 'other';
}

const FILLERS =
  /\b(?:(?:do not|don't|never) forget(?: to| that)?|make sure(?: to| that)?|be (?:careful|aware)(?: that)?|note(?: that)?|remember(?: to| that)?)\b:?/gi;

/** Words that never change the meaning. These do, so they are not listed: only, some, may, off, unless, own, from. */
const EMPTY_WORDS = new Set(
  (
    'a actually all also always an and are be been being do does each entire every is it its just our please really simply single so ' +
    'that the their then there these this those we whole you your'
  ).split(' '),
);

/** Replaces phrases of the same meaning by one of them. */
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
 * The form of a text that two repeats have in common: its words in order and its signs, without empty words. One more word,
 * another order, or `>` for `<` make it another thought.
 */
function normalizeWording(text: string): string {
  const plain = REWRITES.reduce(
    (result, [ways, one]) => result.replace(ways, one),
    text.normalize('NFKC').replaceAll('’', "'"),
  );
  return [...lowerCaseWords(plain).matchAll(WORD_OR_SIGN)]
    .map(([part]) => part)
    .filter((part) => !EMPTY_WORDS.has(part))
    .map((part) => part.replace(/(?<=\p{L}{3}[^s])s$/u, ''))
    .join(' ');
}

/** Ignores quotation marks, brackets and punctuation, but not a mark before a word: -5, .env, !ready. */
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

/** Numbers, paths, identifiers, letters and words in capitals: two facts may differ in just one of these. */
const isName = (word: string): boolean =>
  /\p{N}|[_$@#/\\:=]|\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2}/u.test(word) ||
  (/^\p{L}$/u.test(word) && !isStopWord(word.toLowerCase()));

/** Removes only plurals and common verb endings: more would merge different words. */
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
