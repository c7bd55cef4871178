// Writes text of people, agents and files as Markdown that cannot break out of its place.
import { singleLine, visible } from './text.ts';

/** Prose as written, but with visible control characters, single blank lines and closed fences. */
export const prose = (text: string): string =>
  closeFences(
    visible(text.replace(/\r\n?/g, '\n'))
      .replace(/\n\s*\n\s*\n+/g, '\n\n')
      .trim(),
  );

/** Closes an open code block, which would otherwise swallow the rest of the prompt. */
function closeFences(text: string): string {
  let open: string | null = null;
  for (const [, marks = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = marks;
    else if (marks[0] === open[0] && marks.length >= open.length && rest.trim() === '') open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

/** One line, for lists and headings. */
export const line = (text: string): string => prose(text).replace(/\s*\n\s*/g, ' ');

/** One line of plain text: nothing in it becomes markup, a table cell or HTML. */
export const literal = (text: string): string =>
  visible(singleLine(text))
    .replace(/[\\`*_{}[\]|~#!$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/**
 * Words of an agent, a program or a file on one line, marked as data. The text cannot close the marks: its own become others.
 * What needs its lines is fenced instead; both are the boundaries that the rules of a prompt name.
 */
export const quotedSpan = (text: string): string =>
  `«${line(text).replace(/[«»]/g, (mark) => (mark === '«' ? '‹' : '›'))}»`;

export const quote = (text: string): string => prose(text).replace(/^/gm, '> ').replace(/^> $/gm, '>');

/** Longer than any run of back-ticks inside, so that the text cannot end its own fence. */
export function fence(text: string, language = ''): string {
  const body = visible(text.replace(/\r\n?/g, '\n')).replace(/\n+$/, '');
  const marks = '`'.repeat(Math.max(2, longestRun(body)) + 1);
  return `${marks}${language}\n${body}\n${marks}`;
}

/** A code span that shows one line exactly. */
export function code(text: string): string {
  const body = visible(text);
  const marks = '`'.repeat(longestRun(body) + 1);
  const pad = /^`|`$/.test(body) ? ' ' : '';
  return `${marks}${pad}${body}${pad}${marks}`;
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

export const list = (items: readonly string[]): string => items.map((item) => `- ${line(item)}`).join('\n');

export const checkboxes = (items: readonly string[]): string =>
  items.map((item) => `- [ ] ${line(item)}`).join('\n');

/** Joins the non-empty parts under a heading. Null if there are none, so that the heading vanishes, too. */
export function under(heading: string, ...parts: readonly (string | null)[]): string | null {
  const texts = parts.filter((part): part is string => part !== null && part.trim() !== '');
  return texts.length === 0 ? null : [heading, ...texts].join('\n\n');
}

/** Null if the text is absent or empty. */
export const optional = (text: string | null, write: (text: string) => string = prose): string | null =>
  text === null || text.trim() === '' ? null : write(text);
