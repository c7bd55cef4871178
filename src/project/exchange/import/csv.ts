// Comma-separated values as spreadsheets and trackers write them: quoted fields may hold commas, quotes and line ends.
import { Refusal } from '../../../domain/refusal.ts';

/** Far more than a tracker has; each row holds them all. */
const MAX_COLUMNS = 2_000;

/** One row by column. A column that occurs several times has a list of values. */
export type CsvRow = Readonly<Record<string, string | string[]>>;

/** The names of the columns; empty if the first line is no header. */
export function csvHeader(text: string): readonly string[] {
  const line = (text.split('\n', 1)[0] ?? '').replace(/\r$/, '');
  if (!/[,;]/.test(line)) return [];
  try {
    const header: Fields | undefined = readFields(line, 'header', 1).next().value ?? undefined;
    return (header?.fields ?? []).map((name) => name.trim());
  } catch {
    return [];
  }
}

export function parseCsv(text: string, file: string): CsvRow[] {
  const rows = [...readFields(text, file, Number.POSITIVE_INFINITY)];
  const [header, ...others] = rows;
  if (header === undefined) return [];
  if (header.fields.length > MAX_COLUMNS)
    throw new Refusal(`${file}:1 has more than ${MAX_COLUMNS} columns; Ralph does not import that.`);
  return others.flatMap(({ line, fields }) => {
    if (fields.every((field) => field.trim() === '')) return [];
    // Fewer fields: the file was cut off there.
    if (fields.length !== header.fields.length)
      throw new Refusal(
        `${file}:${line} has ${fields.length} fields, but the first line names ${header.fields.length}; export the file again.`,
      );
    const values = new Map<string, string[]>();
    for (const [index, field] of fields.entries()) {
      const name = (header.fields[index] ?? '').trim();
      const others = values.get(name);
      if (field.trim() === '') continue;
      if (others === undefined) values.set(name, [field.trim()]);
      else others.push(field.trim());
    }
    return [
      Object.fromEntries(
        [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
      ),
    ];
  });
}

type Fields = { line: number; fields: string[] };

/** `limit`: how many rows are read. */
function* readFields(source: string, file: string, limit: number): Generator<Fields> {
  const text = source.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const delimiter = /^[^\n]*/.exec(text)?.[0].includes(',') ? ',' : ';';
  let [at, line, count] = [0, 1, 0];
  while (at < text.length && count < limit) {
    const row: Fields = { line, fields: [] };
    for (;;) {
      const { value, end } = readField(text, at, delimiter, `${file}:${line}`);
      row.fields.push(value);
      line += countLineEnds(text.slice(at, end));
      at = end + 1;
      if (text[end] !== delimiter) break;
    }
    line += 1;
    count += 1;
    yield row;
  }
}

/** `end`: where the delimiter or the line end after the field is. */
function readField(
  text: string,
  at: number,
  delimiter: string,
  place: string,
): { value: string; end: number } {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
    return { value: text.slice(at, end), end };
  }
  let end = at + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end === -1)
      throw new Refusal(`${place} begins a quoted field that never ends; save it whole and import it again.`);
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  const value = text.slice(at + 1, end).replaceAll('""', '"');
  const next = text[end + 1];
  if (next !== undefined && next !== delimiter && next !== '\n')
    throw new Refusal(`${place} has text behind a quoted field; export the file again.`);
  return { value, end: end + 1 };
}

const countLineEnds = (text: string): number => text.split('\n').length - 1;
