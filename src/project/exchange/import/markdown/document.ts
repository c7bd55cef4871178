// A Markdown file as a tree of headings, each with its text and its boxes.
import { Refusal } from '../../../../domain/refusal.ts';
import { type Line, readLines } from './lines.ts';
import { type SectionKind, sectionKind } from './sections.ts';

export type Box = {
  line: number;
  box: string;
  isOptional: boolean;
  label: string;
  mark: string | null;
  indent: number;
  depth: number;
  parent: Box | null;
  /** The lines below it, up to the next box or heading. */
  body: string[];
};

export type Section = {
  line: number;
  /** 0 for the file itself, 7 for a label within a text. */
  level: number;
  label: string;
  mark: string | null;
  kind: SectionKind;
  parent: Section | null;
  prose: string[];
  /** In the order of the file; a part comes after its whole. */
  boxes: Box[];
  sections: Section[];
};

const LABEL_LEVEL = 7;
const MAX_DEPTH = 100;

/** `file`: its name in a refusal. */
export function parseDocument(text: string, file: string): Section {
  const root = newSection({ line: 1, level: 0, label: '', mark: null, parent: null });
  let section = root;
  /** The boxes that the next box or line may belong to, outermost first. */
  let open: Box[] = [];
  /** Where a blank line or the rest of a code block goes. */
  let sink = root.prose;
  let isCode = false;
  const enter = (line: Line, level: number, label: string, mark: string | null): void => {
    let parent = section;
    while (parent.level >= level && parent.parent !== null) parent = parent.parent;
    section = newSection({ line: line.number, level, label, mark, parent });
    parent.sections.push(section);
    [open, sink] = [[], section.prose];
  };
  const leaveLabel = (): void => {
    if (section.level !== LABEL_LEVEL) return;
    section = section.parent ?? root;
    [open, sink] = [[], section.prose];
  };
  for (const line of readLines(text, file)) {
    const isFirstOfCode = line.kind === 'code' && !isCode;
    isCode = line.kind === 'code';
    if (line.kind === 'heading') enter(line, line.level, line.label, line.mark);
    else if (line.kind === 'box') {
      const box = newBox(line, open, file);
      section.boxes.push(box);
      open = [...open.filter((one) => one.indent < box.indent), box];
      sink = box.body;
    } else if (line.kind === 'rule') {
      leaveLabel();
      [open, sink] = [[], section.prose];
    } else if (line.kind === 'label' && sectionKind(line.label) !== null) {
      leaveLabel();
      enter(line, LABEL_LEVEL, line.label, null);
      if (line.rest !== '') section.prose.push(line.rest);
    } else if (line.kind === 'blank') {
      // "**Notes:** one paragraph" ends with the paragraph; a list below its label may begin after a blank line.
      if (section.level === LABEL_LEVEL && section.kind === 'remark' && section.prose.length > 0)
        leaveLabel();
      else sink.push('');
    } else {
      if (line.kind === 'label') leaveLabel();
      if (line.kind !== 'code' || isFirstOfCode)
        sink = (open.findLast((one) => one.indent < line.indent) ?? open[0])?.body ?? section.prose;
      sink.push(line.text);
    }
  }
  return root;
}

const newSection = (fields: Pick<Section, 'line' | 'level' | 'label' | 'mark' | 'parent'>): Section => ({
  ...fields,
  kind: sectionKind(fields.label),
  prose: [],
  boxes: [],
  sections: [],
});

function newBox(line: Line & { kind: 'box' }, open: readonly Box[], file: string): Box {
  const { number, box, isOptional, label, mark, indent } = line;
  const parent = open.findLast((one) => one.indent < indent) ?? null;
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH)
    throw new Refusal(
      `${file}:${number} is nested more than ${MAX_DEPTH} levels deep; Ralph does not import that.`,
    );
  return { line: number, box, isOptional, label, mark, indent, depth, parent, body: [] };
}

/** The section and all below it, in the order of the file. Headings nest at most seven levels deep. */
export const allSections = (section: Section): Section[] => [
  section,
  ...section.sections.flatMap(allSections),
];

/** Text without the indentation that all its lines share, and without blank lines around it. */
export function outdented(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== '');
  const least = filled.reduce((width, line) => Math.min(width, line.length - line.trimStart().length), 1_000);
  return lines
    .map((line) => line.slice(least).trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

export const countFilled = (lines: readonly string[]): number =>
  lines.filter((line) => line.trim() !== '').length;
