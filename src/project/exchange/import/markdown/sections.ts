// Sections that never hold tasks: criteria belong to the task or feature above them, the others are remarks.
import { readLines } from './lines.ts';

export type SectionKind = 'criteria' | 'remark' | null;

const CRITERIA =
  /^(?:acceptance(?: criteria)?|definition of done|success criteria|done when|it is done when|completion criteria)$/;
const REMARK =
  /^(?:dependencies(?: (?:&|and) .*)?|depends on|prerequisites|notes?|checkpoints?(?:[ :–—-].*)?|format(?:: .*)?|legend|out of scope|non-goals)$/;

/** By the heading, without number, marks and what stands in brackets. */
export function sectionKind(label: string): SectionKind {
  const name = label
    .slice(0, 200)
    .toLowerCase()
    .replace(/[*_`]/g, '')
    .replace(/^[^\p{L}]+/u, '')
    .replace(/\s*\([^)]*\)\s*$/, '')
    .replace(/[\s:]+$/, '');
  return CRITERIA.test(name) ? 'criteria' : REMARK.test(name) ? 'remark' : null;
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[(?:[^\p{L}\p{N}\][]|[xX])\]\*?\s+)?(?:#\d+\s+)?(\S.*)$/u;

/** The items of a list; a paragraph is one item, and so is a line below its item. */
export function readItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const item = ITEM.exec(line)?.[1];
    if (line.trim() === '') isOpen = false;
    else if (item === undefined && isOpen) items.push(`${items.pop()} ${line.trim()}`);
    else items.push((item ?? line).trim());
    if (line.trim() !== '') isOpen = true;
  }
  return items;
}

/** The criteria that a text of another tool has in a section of its own, and the rest of the text. */
export function takeCriteria(text: string): { text: string; criteria: string[] } {
  const rest: string[] = [];
  const criteria: string[] = [];
  /** The level of the open section of criteria; null outside of one. A label is below every heading. */
  let level: number | null = null;
  for (const line of readLines(
    text.replace(/^h([1-6])\. /gm, (_, depth) => `${'#'.repeat(Number(depth))} `),
    'text',
  )) {
    const begins = beginning(line);
    if (begins !== null && (level === null || begins.level <= level))
      level = sectionKind(begins.label) === 'criteria' ? begins.level : null;
    const isHead = begins !== null && begins.level === level;
    if (level === null) rest.push(line.text);
    else if (!isHead) criteria.push(line.text);
    else if (line.kind === 'label' && line.rest !== '') criteria.push(line.rest);
  }
  const items = readItems(criteria);
  return items.length === 0 ? { text, criteria: [] } : { text: rest.join('\n').trim(), criteria: items };
}

function beginning(line: ReturnType<typeof readLines>[number]): { level: number; label: string } | null {
  if (line.kind === 'heading') return { level: line.level, label: line.label };
  if (line.kind === 'label') return { level: 7, label: line.label };
  if (line.kind === 'text' && /^[A-Z][\w ]{2,30}:$/.test(line.text)) return { level: 7, label: line.text };
  return null;
}
