import { type Line, readLines } from './lines.ts';

/** The boxes of a text as criteria, and the text without them. A heading over nothing but boxes goes with them. */
export function takeTaskLists(text: string): { text: string; criteria: string[] } {
  const criteria: string[] = [];
  const rest: string[] = [];
  /** Lines since the last heading; `hasText`: whether they are more than boxes. */
  let section: { lines: string[]; hasBoxes: boolean; hasText: boolean } = emptySection();
  const close = (): void => {
    if (!section.hasBoxes || section.hasText) for (const line of section.lines) rest.push(line);
  };
  let box: Line | null = null;
  // The empty line: a text that begins with a rule has no front matter.
  for (const line of readLines(`\n${text}`, 'text')) {
    if (line.kind === 'heading') {
      close();
      section = emptySection();
    }
    if (line.kind === 'box') {
      criteria.push(line.label);
      section.hasBoxes = true;
      box = line;
    } else if (box !== null && line.kind === 'text' && line.indent > box.indent)
      criteria.push(`${criteria.pop()} ${line.text.trim()}`);
    else {
      box = null;
      section.lines.push(line.text);
      section.hasText ||= line.kind !== 'heading' && line.kind !== 'blank';
    }
  }
  close();
  return criteria.length === 0 ? { text, criteria } : { text: rest.join('\n').trim(), criteria };
}

const emptySection = () => ({ lines: [], hasBoxes: false, hasText: false });
