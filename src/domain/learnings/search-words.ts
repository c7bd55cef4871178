// Words of a text as a search sees them: without those that say nothing, and names of code by their parts as well.

/** Too common to tell one text from another. */
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

/** `getUserById`, `HTTPServer2` and `sha256` by their parts; a plain word has only itself. */
export function nameParts(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .split(' ');
  return parts.length === 1 ? [] : parts;
}

/** In lower case, but for names of code: userId and userid are two, UTC and utc are one. */
export const lowerCaseWords = (text: string): string =>
  text.replace(/[\p{L}\p{N}_]+/gu, (word) => (/\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()));

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** All words of a text that say something, as often as they are said; names as a whole and by their parts. */
export const significantWords = (text: string): string[] =>
  [...text.normalize('NFKC').matchAll(WORD)]
    .flatMap(([word]) => [word, ...nameParts(word)])
    .map((word) => word.toLowerCase())
    .filter(isSignificant);

/** A letter of an alphabet says nothing; a character that is a word does. */
const isSignificant = (word: string): boolean =>
  (word.length > 1 || /\P{ASCII}/u.test(word)) && !isStopWord(word);

/** What is put beside a text, so that names in it are found by their parts. */
export const namedParts = (text: string): string =>
  [...new Set([...text.matchAll(WORD)].flatMap(([word]) => nameParts(word)))].join(' ');

/** The words to look for, in their order, each once. */
export const searchWords = (text: string, limit: number): string[] =>
  [...new Set(significantWords(text))].slice(0, limit);
