// What people and tools write in front of a box's words: numbers, codes and marks.
import { cutAtSentence, SHORT_TITLE, withoutMarks } from '../title.ts';
import type { Box } from './document.ts';

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

// The order that a numbered checklist states: a box waits for the one before it, and boxes marked [P] go side by side.

export type OrderedBox = { box: Box; id: string; isParallel: boolean; phase: number };

/** More links than this between two groups say less than they cost. */
const MAX_LINKS = 2_500;

/** The ids that each box waits for. Parts of a box are ordered among themselves; a phase waits for the one before it. */
export function orderBoxes(
  boxes: readonly OrderedBox[],
  problem: (text: string) => void,
): Map<Box, readonly string[]> {
  const siblings = new Map<Box | null, OrderedBox[]>();
  for (const one of boxes) {
    const others = siblings.get(one.box.parent);
    if (others === undefined) siblings.set(one.box.parent, [one]);
    else others.push(one);
  }
  const waits = new Map<Box, readonly string[]>();
  for (const ordered of siblings.values()) {
    let before: OrderedBox[] = [];
    for (const group of groupBoxes(ordered)) {
      const isTooMuch = before.length * group.length > MAX_LINKS;
      if (isTooMuch)
        problem(
          `${group[0]?.id} and ${group.length - 1} more would each wait for ${before.length} tasks; each waits for the last of them.`,
        );
      const ids = (isTooMuch ? before.slice(-1) : before).map(({ id }) => id);
      for (const { box } of group) waits.set(box, ids);
      // Nothing waits for what is optional.
      const needed = group.filter(({ box }) => !box.isOptional);
      if (needed.length > 0) before = needed;
    }
  }
  return waits;
}

/** Boxes that may run side by side follow each other in one phase. */
function groupBoxes(ordered: readonly OrderedBox[]): OrderedBox[][] {
  const groups: OrderedBox[][] = [];
  for (const one of ordered) {
    const last = groups.at(-1)?.at(-1);
    if (one.isParallel && last?.isParallel && last.phase === one.phase) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups;
}
