import { Refusal } from '../refusal.ts';

export const MAX_TITLE = 500;
export const MAX_TEXT = 200_000;

/** Half of a surrogate pair is lost when it is written to a file. */
const LONE_SURROGATES = /\p{Surrogate}/u;

/** Why this text cannot be stored, or null. Many programs end a string at a NUL byte. */
export function textProblem(text: string, limit: number = MAX_TEXT): string | null {
  if (text.includes('\0')) return 'contains a NUL byte; remove it';
  if (LONE_SURROGATES.test(text)) return 'is not well-formed Unicode; remove the half characters';
  if (text.length > limit) return `is ${text.length} characters long; at most ${limit} are kept`;
  return null;
}

export function titleProblem(title: string): string | null {
  if (title.replace(INVISIBLE, '').trim() === '') return 'is empty; say in a few words what is to be done';
  if (/[\r\n]/.test(title)) return 'has more than one line; move the rest into the description';
  return textProblem(title, MAX_TITLE);
}

export function requireTitle(title: string): string {
  const problem = titleProblem(title);
  if (problem !== null) throw new Refusal(`The title ${problem}.`);
  return title.trim();
}

/** Refuses a value if any text in it cannot be stored. */
export function requireStorable(name: string, value: unknown): void {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem !== null) throw new Refusal(`The ${name} ${problem}.`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) requireStorable(Array.isArray(value) ? name : key, item);
  }
}

/** Makes a text storable if no person is there to correct it. */
export const toStorable = (text: string, limit: number = MAX_TEXT): string =>
  textProblem(text, limit) === null
    ? text
    : text
        .slice(0, limit)
        .replaceAll('\0', '')
        .replace(/\p{Surrogate}/gu, '\ufffd');

/** The beginning of a long text, with an ellipsis. */
export const truncate = (text: string, limit: number): string =>
  text.length <= limit ? text : `${toStorable(text, limit)} …`;

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const singleLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** Control, escape, bidirectional and zero-width characters as visible code points: text stays text. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return point < 0x20
      ? String.fromCodePoint(0x2400 + point)
      : `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** JSON that is safe on a terminal: invisible characters are escaped, so the value stays the same. */
export const visibleJson = (value: unknown, indent = 2): string =>
  (JSON.stringify(value, null, indent) ?? '').replace(INVISIBLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

// Line feed and tab stay. The rest: C0, DEL and C1, soft hyphen, zero-width, bidirectional, separators, BOM, tags.
const INVISIBLE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** For text and attributes of HTML and SVG. Characters that XML forbids become replacement characters. */
export const escapeXml = (text: string): string =>
  text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The model's name without `claude-` and the date. */
export const modelName = (model: string): string => model.replace(/^claude-/, '').replace(/-\d{8}$/, '');

/** True for a path inside the project that belongs neither to Ralph nor to git. */
export const isProjectPath = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').includes('..') &&
  !/^\.(ralph|git)(\/|$)/.test(path);

/** Makes paths relative to the project or its slot, and drops the `cd` into it with which agents begin many shell lines. */
export function withProjectPaths(text: string, root: string): string {
  const outside = withoutSlots(text);
  if (outside === text && !text.includes(root)) return text;
  const here = new RegExp(`${root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(/|(?![\\w.-]))`, 'g');
  return outside
    .replace(here, (_, slash) => (slash === '/' ? '' : '.'))
    .replace(/\bcd ["']?\.?["']? && /, '');
}

/** The end of a slot's path: the project with its hash, the slot, its files. */
const SLOT = /-[0-9a-f]{12}\/(?:work|gates)-\d{1,3}\/tree(\/|(?![\w.-]))/g;

function withoutSlots(text: string): string {
  let [result, end] = ['', 0];
  for (const { 0: found, 1: slash, index } of text.matchAll(SLOT)) {
    let start = index;
    while (start > end && !/[\s"'`]/.test(text[start - 1] ?? '')) start--;
    const path = text.indexOf('/', start);
    result += `${text.slice(end, path)}${slash === '/' ? '' : '.'}`;
    end = index + found.length;
  }
  return result + text.slice(end);
}
