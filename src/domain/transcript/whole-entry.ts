// The full content behind an entry: a whole text, or a tool call with all its arguments.
import { asObject, asText, toolResultText } from './stream-json.ts';
import type { Part } from './transcript.ts';

/** The name is empty if the text is the only field. */
export type Field = { name: string; text: string };

export function entryFields({ entry, source }: Part, line: string): Field[] {
  if (source === null) return [{ name: '', text: line.trimEnd() }];
  switch (entry.kind) {
    case 'text':
    case 'told':
      return [{ name: '', text: asText(source['text']) }];
    case 'thought':
      return [{ name: '', text: asText(source['thinking']) }];
    case 'answer':
      return [{ name: '', text: toolResultText(source['content']) }];
    case 'tool':
      return objectFields(asObject(source['input']));
    default:
      return objectFields(source);
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
