import { Refusal } from '../../domain/refusal.ts';

export type Json = Readonly<Record<string, unknown>>;

/** With the place where it stops being JSON: most often where it was cut off. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const offset = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
    const line = text.slice(0, offset).split('\n').length;
    const what = offset >= text.trimEnd().length ? 'ends in the middle' : 'is not JSON';
    throw new Refusal(`${file}:${line} ${what}; save it whole and import it again.`, { cause: error });
  }
}

/** One value a line; empty lines are none. */
export function linesOf(text: string, file: string, isRight: (value: unknown) => boolean): Json[] {
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
    if (!isRight(value)) throw new Refusal(`${place} is no issue with an id and a title.`);
    return [value as Json];
  });
}
