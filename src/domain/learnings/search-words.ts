// The words of a text for a search: without stop words, and with the parts of names in code.

/** Too common to distinguish texts. */
const STOP_WORDS = new Set(
  (
    'a about all also an and any are as at be been being but by can could did do does doing each for from get gets got had has have ' +
    'having he her here his how i if in into is it its itself just let lets like made make makes may me might more most must my need needs ' +
    'new now of off on once one only onto or other our out over own same shall she should since so some such than that the their them then ' +
    'there these they this those through to too under until up upon us very was we were what when where whether which while who why will ' +
    'with would yet you your please note remember sure task should want wants'
  ).split(' '),
);

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** The parts of names such as `getUserById`, `HTTPServer2` and `sha256`; none for a plain word. */
export function nameParts(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .split(' ');
  return parts.length === 1 ? [] : parts;
}

/** Lower case except for names in code: userId and userid differ, UTC and utc do not. */
export const lowerCaseWords = (text: string): string =>
  text.replace(/[\p{L}\p{N}_]+/gu, (word) => (/\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()));

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** All words but stop words, with repetitions; names as a whole and by their parts. */
export const significantWords = (text: string): string[] =>
  [...text.normalize('NFKC').matchAll(WORD)]
    .flatMap(([word]) => [word, ...nameParts(word)])
    .map((word) => word.toLowerCase())
    .filter(isSignificant);

/** A single letter is insignificant; a single character of Chinese, for example, is a word. */
const isSignificant = (word: string): boolean =>
  (word.length > 1 || /\P{ASCII}/u.test(word)) && !isStopWord(word);

/** Text that the index adds to a text, so that a search finds names by their parts. */
export const namedParts = (text: string): string =>
  [...new Set([...text.matchAll(WORD)].flatMap(([word]) => nameParts(word)))].join(' ');

/** The words to search for, in their order, each once. */
export const searchWords = (text: string, limit: number): string[] =>
  [...new Set(significantWords(text))].slice(0, limit);
