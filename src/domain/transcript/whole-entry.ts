// The full content behind an entry: a whole text, or a tool call with all its arguments.
import type { StreamLine } from './parse.ts';
import type { Part } from './transcript.ts';

/** The name is empty if the text is the only field. */
export type Field = { name: string; text: string };

export function entryFields({ block }: Part, { text, json, event }: StreamLine): Field[] {
  switch (block?.kind) {
    case 'text':
    case 'thinking':
    case 'tool_result':
      return [{ name: '', text: block.text }];
    case 'tool_use':
      return objectFields(block.input);
    case 'redacted':
    case 'other':
      return objectFields(block.json);
    case undefined:
      return event.kind === 'plain' || json === null
        ? [{ name: '', text: text.trimEnd() }]
        : objectFields(json);
  }
}

const objectFields = (value: object): Field[] =>
  Object.entries(value).map(([name, inner]) => ({
    name,
    text: typeof inner === 'string' ? inner : formatJson(inner),
  }));

function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // JSON.parse reads values that JSON.stringify cannot write: only the latter is recursive.
    return '(nested too deeply to show)';
  }
}

/** Keeps the first `limit` characters of all fields together. */
export function cutFields(fields: readonly Field[], limit: number): { fields: Field[]; left_out: number } {
  const shortFields: Field[] = [];
  let [room, left_out] = [limit, 0];
  for (const { name, text } of fields) {
    const cut = text.slice(0, room);
    if (cut !== '' || text === '') shortFields.push({ name, text: cut });
    room -= cut.length;
    left_out += text.length - cut.length;
  }
  return { fields: shortFields, left_out };
}
