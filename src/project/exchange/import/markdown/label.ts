// What people and tools write in front of a box's words: numbers, codes and marks.
import { cutAtSentence, SHORT_TITLE, withoutMarks } from '../title.ts';

export type Label = {
  /** spec-kit's T012. */
  code: string | null;
  /** Kiro's and OpenSpec's 1.2: it changes whenever a box is added. */
  number: string | null;
  isParallel: boolean;
  /** spec-kit's US1. */
  tags: readonly string[];
  /** Without what is above. */
  words: string;
  title: string;
  /** The words as they are, if the title does not say all of them. */
  rest: string | null;
};

const CODE = /^(T\d{2,5})\b[:.]?\s+(?=\S)/;
const NUMBER = /^(\d{1,4}(?:\.\d{1,4})+|\d{1,4}(?=[.)]\s))[.)]?\s+(?=\S)/;
const MARK = /^\[(P|US\d{1,3}|Story \d{1,3})\]\s*(?=\S)/;

export function readLabel(label: string): Label {
  let words = withoutMarksAround(label);
  const take = (pattern: RegExp): string | null => {
    const found = pattern.exec(words);
    if (found !== null) words = words.slice(found[0].length);
    return found?.[1] ?? null;
  };
  const code = take(CODE);
  const number = code === null ? take(NUMBER) : null;
  const marks: string[] = [];
  for (let mark = take(MARK); mark !== null; mark = take(MARK)) marks.push(mark);
  const plain = withoutMarks(words);
  const title = cutAtSentence(plain, SHORT_TITLE);
  return {
    code,
    number,
    isParallel: marks.includes('P'),
    tags: marks.filter((mark) => mark !== 'P'),
    words,
    title,
    // A link says more than its words.
    rest: title === plain && plain.length >= words.length - 8 && !words.includes('](') ? null : words,
  };
}

/** "**T012** Do it" begins with a code, too. */
const withoutMarksAround = (label: string): string =>
  label.replace(/^(\*\*|__)((?:T\d{2,5}|\d[\d.]{0,10})\.?)\1\s*/, '$2 ');
