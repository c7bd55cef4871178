// Tells the lines of a Markdown file apart. Code blocks and comments hold neither headings nor boxes.
import { Refusal } from '../../../../domain/refusal.ts';
import { MAX_TEXT } from '../../../../domain/text/text.ts';

export type Line = { number: number; text: string; indent: number } & (
  | { kind: 'heading'; level: number; label: string; mark: string | null }
  | { kind: 'box'; box: string; isOptional: boolean; label: string; mark: string | null }
  /** "**Notes:** and what follows": a heading within a paragraph. */
  | { kind: 'label'; label: string; rest: string }
  | { kind: 'rule' | 'text' | 'code' | 'blank' }
);

/** A letter other than x is no box: [P] marks what may run in parallel. `[ ]*` is an optional box. */
const BOX = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([^\p{L}\p{N}\][]|[xX])\](\*?)\s+(\S.*)$/u;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const LABEL = /^(?:\*\*|__)([^*_\n]{1,60}?)(?::(?:\*\*|__)|(?:\*\*|__):|(?:\*\*|__)(?=\s*$))(?:\s+(\S.*))?$/;
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})$/;

const splitLines = (text: string): string[] => text.replace(/^\ufeff/, '').split(/\r?\n/);

/** `file`: its name in a refusal. */
export function readLines(text: string, file: string): Line[] {
  const lines = splitLines(text);
  // Ralph escapes what it writes, and its marks are comments; titles there may hold the beginning of one.
  const isOurs = text.includes('<!-- ralph:');
  const lastCommentEnd = isOurs ? -1 : lines.findLastIndex((line) => line.includes('-->'));
  const read: Line[] = [];
  let fence: string | null = null;
  let isComment = false;
  for (let index = frontMatterLines(lines); index < lines.length; index++) {
    const raw = lines[index] ?? '';
    const number = index + 1;
    if (raw.length > MAX_TEXT)
      throw new Refusal(
        `${file}:${number} is a line of ${raw.length} characters; at most ${MAX_TEXT} are read.`,
      );
    const base = { number, text: raw, indent: indentWidth(raw) };
    const marks = isComment ? null : FENCE.exec(raw);
    if (fence !== null) {
      if (closes(marks, fence)) fence = null;
      read.push({ ...base, kind: 'code' });
    } else if (marks !== null && !(marks[1]?.startsWith('`') && marks[2]?.includes('`'))) {
      fence = marks[1] ?? null;
      read.push({ ...base, kind: 'code' });
    } else {
      const wasComment = isComment;
      const cut: { text: string; isOpen: boolean } = isOurs
        ? { text: raw, isOpen: false }
        : cutComments(raw, wasComment, index <= lastCommentEnd);
      isComment = cut.isOpen;
      // A line that is only a comment is no blank line, which would end a paragraph.
      if (cut.text.trim() !== '' || (raw.trim() === '' && !wasComment))
        read.push(classify({ ...base, text: cut.text }));
    }
  }
  return read;
}

/** Fields in front of the text are neither headings nor boxes. */
function frontMatterLines(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return end === -1 ? 0 : end + 1;
}

const closes = (marks: RegExpExecArray | null, fence: string): boolean =>
  marks !== null &&
  marks[1]?.[0] === fence[0] &&
  (marks[1]?.length ?? 0) >= fence.length &&
  marks[2]?.trim() === '';

/** `canEnd`: whether a comment that begins here ends in a later line; otherwise it is text. */
function cutComments(raw: string, isOpen: boolean, canEnd: boolean): { text: string; isOpen: boolean } {
  let text = raw;
  if (isOpen) {
    const end = text.indexOf('-->');
    if (end === -1) return { text: '', isOpen: true };
    text = text.slice(end + 3);
  }
  const parts: string[] = [];
  for (;;) {
    const begin = text.indexOf('<!--');
    const end = begin === -1 ? -1 : text.indexOf('-->', begin + 4);
    if (begin === -1) break;
    if (end === -1) {
      const isBlock = text.slice(0, begin).trim() === '' && parts.length === 0;
      if (isBlock && canEnd && !raw.includes('-->', begin)) return { text: '', isOpen: true };
      break;
    }
    parts.push(text.slice(0, begin));
    text = text.slice(end + 3);
  }
  return { text: parts.join('') + text, isOpen: false };
}

function classify(base: { number: number; text: string; indent: number }): Line {
  const text = base.text.trimEnd();
  const heading = HEADING.exec(text);
  if (heading !== null) {
    const [, hashes = '', words = ''] = heading;
    return { ...base, kind: 'heading', level: hashes.length, ...splitMark(withoutClosing(words)) };
  }
  const box = BOX.exec(text);
  if (box !== null) {
    const [, state = ' ', star, words = ''] = box;
    return {
      ...base,
      kind: 'box',
      box: `[${state.toLowerCase()}]`,
      isOptional: star === '*',
      ...splitMark(words),
    };
  }
  if (text.trim() === '') return { ...base, kind: 'blank' };
  if (RULE.test(text)) return { ...base, kind: 'rule' };
  const label = LABEL.exec(text);
  if (label !== null) return { ...base, kind: 'label', label: (label[1] ?? '').trim(), rest: label[2] ?? '' };
  return { ...base, kind: 'text' };
}

/** "# Title ##" is "Title". */
function withoutClosing(words: string): string {
  let end = words.length;
  while (end > 0 && words[end - 1] === '#') end -= 1;
  return end < words.length && (end === 0 || words[end - 1] === ' ') ? words.slice(0, end).trimEnd() : words;
}

const MARK = '<!-- ralph:';

/** The mark that Ralph writes behind its own lines: the number of a task, or the name of a feature. */
function splitMark(words: string): { label: string; mark: string | null } {
  const begin = words.lastIndexOf(MARK);
  const mark = begin === -1 ? undefined : /^<!-- ralph:([^<>]+) -->$/.exec(words.slice(begin))?.[1];
  if (mark === undefined) return { label: words.trim(), mark: null };
  return { label: words.slice(0, begin).trim(), mark: mark.replace(/%(?:3C|3E|25)/g, decodeURIComponent) };
}

/** A tab counts as four blanks. */
function indentWidth(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === '\t') width += 4;
    else if (character.trim() === '') width += 1;
    else break;
  }
  return width;
}
