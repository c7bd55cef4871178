// Titles become subjects of commits: one line, short, without the marks of Markdown.
import { MAX_TITLE, titleProblem, toStorable } from '../../../domain/text/text.ts';

/** For a title that is a sentence of prose. A title that its author wrote as one may be longer. */
export const SHORT_TITLE = 100;

/** A cut before this would leave too little. */
const LEAST = 20;

/** The first usable line as a title, or null if there is none. `rest` is the whole text, if that is more than the title. */
export function titleFrom(
  text: string | null,
  limit: number = MAX_TITLE,
): { title: string; rest: string | null } | null {
  const line = (text ?? '').split(/\r?\n/).find((one) => titleProblem(one.slice(0, MAX_TITLE)) === null);
  if (text === null || line === undefined) return null;
  const title = cutAtSentence(line.trim(), limit);
  return { title, rest: title === text.trim() ? null : text };
}

/** Cuts at the end of a sentence, then at a colon or dash, then between words. */
export function cutAtSentence(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const head = line.slice(0, limit);
  const sentence = /^.{20,}?[.!?](?=\s)/su.exec(head)?.[0];
  if (sentence !== undefined) return sentence.replace(/\.$/, '');
  const parts = [...head.matchAll(/(?::|;|\s[–—-])\s/g)].map(({ index }) => index);
  const part = parts.findLast((index) => index >= LEAST);
  if (part !== undefined) return head.slice(0, part).trimEnd();
  const word = head.lastIndexOf(' ');
  return `${toStorable(word >= LEAST ? head.slice(0, word) : head, limit - 1)}…`;
}

/** Without bold, italics and links; code stays as it is. Only the beginning: a title holds no more of it. */
export const withoutMarks = (text: string): string =>
  text
    .slice(0, 2 * MAX_TITLE)
    .replace(/!?\[([^\][]+)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.{1,500}?)\1/g, '$2')
    .replace(/(?<![\w*])\*([^\s*][^*]{0,300})\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_([^\s_][^_]{0,300})_(?![\w_])/g, '$1')
    .trim();
