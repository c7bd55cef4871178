import { Refusal } from '../../../domain/refusal.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A refusal names the line where the JSON breaks: most often the file was cut off there. */
export function parseJson(text: string, file: string): unknown {
  const value = parseOrRefuse(text, file);
  requireShallow(value, file);
  return value;
}

function parseOrRefuse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const offset = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
    const line = text.slice(0, offset).split('\n').length;
    const what = offset >= text.trimEnd().length ? 'ends in the middle' : 'is not JSON';
    throw new Refusal(`${file}:${line} ${what}; save it whole and import it again.`, { cause: error });
  }
}

/** Parses one value a line, and skips empty lines. */
export function parseJsonLines(text: string, file: string, isRight: (value: unknown) => boolean): Json[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw new Refusal(`${place} is not one issue in JSON; save the file whole and import it again.`, {
        cause: error,
      });
    }
    requireShallow(value, place);
    if (!isRight(value)) throw new Refusal(`${place} is not an issue: an issue has an id and a title.`);
    return [value as Json];
  });
}

/** More than any tool writes, and far less than JSON.stringify needs to overflow the stack. */
const MAX_DEPTH = 100;

function requireShallow(value: unknown, place: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new Refusal(`${place} is nested more than ${MAX_DEPTH} levels deep; Ralph does not import that.`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}
