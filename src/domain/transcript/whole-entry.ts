// All of what an entry is an excerpt of: a text as it was said, a call with everything it was given.
import { answerOf, objectOf, textOf } from './stream-json.ts';
import type { Part } from './transcript.ts';

/** A text that is all there is has no name. */
export type Field = { name: string; text: string };

export function wholeOf({ entry, said }: Part, line: string): Field[] {
  if (said === null) return [{ name: '', text: line.trimEnd() }];
  switch (entry.kind) {
    case 'text':
    case 'told':
      return [{ name: '', text: textOf(said['text']) }];
    case 'thought':
      return [{ name: '', text: textOf(said['thinking']) }];
    case 'answer':
      return [{ name: '', text: answerOf(said['content']) }];
    case 'tool':
      return fieldsOf(objectOf(said['input']));
    default:
      return fieldsOf(said);
  }
}

const fieldsOf = (value: object): Field[] =>
  Object.entries(value).map(([name, inner]) => ({
    name,
    text: typeof inner === 'string' ? inner : written(inner),
  }));

function written(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // What can be read is not always what can be written: reading does not use up the stack.
    return '(nested too deeply to show)';
  }
}

/** The first so many characters of all of it. */
export function cutFields(fields: readonly Field[], limit: number): { fields: Field[]; left_out: number } {
  const kept: Field[] = [];
  let [room, left_out] = [limit, 0];
  for (const { name, text } of fields) {
    const cut = text.slice(0, room);
    if (cut !== '' || text === '') kept.push({ name, text: cut });
    room -= cut.length;
    left_out += text.length - cut.length;
  }
  return { fields: kept, left_out };
}
