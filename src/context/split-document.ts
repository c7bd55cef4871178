/** A part of a document under one heading, or of a long text without any. */
type Passage = { heading: string | null; line: number; text: string };

const MAX_CHARACTERS = 4_000;

/** Splits at headings, and long passages at paragraphs. A `#` line within a code block is no heading. */
export function splitDocument(text: string): Passage[] {
  const passages: { heading: string | null; line: number; lines: string[] }[] = [];
  let current: (typeof passages)[number] = { heading: null, line: 1, lines: [] };
  let fence: string | null = null;
  let size = 0;
  const begin = (heading: string | null, line: number): void => {
    passages.push(current);
    current = { heading, line, lines: [] };
    size = 0;
  };
  for (const [index, line] of text.split('\n').entries()) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3) ?? null;
    if (marks !== null) fence = fence === null ? marks : fence === marks ? null : fence;
    const heading = fence === null ? /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) begin(heading, index + 1);
    else if (size > MAX_CHARACTERS && line.trim() === '') begin(current.heading, index + 2);
    if (heading === undefined) {
      current.lines.push(line);
      size += line.length + 1;
    }
  }
  passages.push(current);
  return passages
    .map(({ heading, line, lines }) => ({ heading, line, text: lines.join('\n').trim() }))
    .filter(({ heading, text: body }) => body !== '' || heading !== null);
}
