// One record of a foreign file: what is asked for is taken, whatever nobody asked for is left over, and nothing is lost in between.
import { keepable, MAX_TEXT, MAX_TITLE, titleProblem } from '../../domain/text.ts';

export type SourceRecord = {
  /** Null where it is not there, empty, or no text; then it is left over. */
  text(key: string): string | null;
  /** A list, or a text with one item a line. */
  texts(key: string): readonly string[];
  /** An id, which some tools write as a number. */
  id(key: string): string | null;
  ids(key: string): readonly string[];
  number(key: string): number | null;
  /** A whole number that Ralph can keep, from 0 on. */
  count(key: string): number | null;
  time(key: string): number | null;
  /** Records of a list; what else stands in it is left over. */
  records(key: string): readonly Readonly<Record<string, unknown>>[];
  /** Says again what stands elsewhere. */
  ignore(...keys: readonly string[]): void;
  leftovers(): Record<string, string>;
};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function sourceRecord(value: Readonly<Record<string, unknown>>): SourceRecord {
  const left = new Map(Object.entries(value).filter(([, one]) => !saysNothing(one)));
  const take = <T>(key: string, read: (value: unknown) => T | null): T | null => {
    const read_as = left.has(key) ? read(left.get(key)) : null;
    if (read_as !== null) left.delete(key);
    return read_as;
  };
  return {
    text: (key) => take(key, asText),
    texts: (key) => take(key, asTexts) ?? [],
    id: (key) => take(key, asId),
    ids: (key) => take(key, asIds) ?? [],
    number: (key) => take(key, (one) => (typeof one === 'number' && Number.isFinite(one) ? one : null)),
    count: (key) =>
      take(key, (one) => (Number.isSafeInteger(one) && (one as number) >= 0 ? (one as number) : null)),
    time: (key) => take(key, asTime),
    records: (key) =>
      take(key, (one) => (Array.isArray(one) && one.every(isRecord) ? (one as never) : null)) ?? [],
    ignore: (...keys) => {
      for (const key of keys) left.delete(key);
    },
    leftovers: () => Object.fromEntries([...left].map(([key, one]) => [keepable(key, 200), inWords(one)])),
  };
}

const saysNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const inWords = (value: unknown): string =>
  keepable(typeof value === 'string' ? value : JSON.stringify(value));

function asText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.length <= MAX_TEXT ? keepable(value) : null;
}

/** Bullets and boxes in front of a line are how a list is written as a text. */
const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/;

function asTexts(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((one) => !saysNothing(one)).map(inWords);
  const lines = asText(value)?.split(/\r?\n/);
  const items = lines?.map((line) => line.replace(BULLET, '').trim()).filter((line) => line !== '');
  return items === undefined || items.length === 0 ? null : items;
}

function asId(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? keepable(value.trim(), MAX_TITLE) : null;
}

function asIds(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const ids = value.map(asId);
  return ids.every((id) => id !== null && id !== '') ? (ids as string[]) : null;
}

function asTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) || time < 0 ? null : time;
}

/** The first line as a title; `rest` is the whole where that is more than the title. Null where there is nothing to call it by. */
export function titleFrom(text: string | null): { title: string; rest: string | null } | null {
  const line = (text ?? '').split(/\r?\n/).find((one) => titleProblem(one.slice(0, MAX_TITLE)) === null);
  if (text === null || line === undefined) return null;
  const whole = line.trim();
  const title = whole.length > MAX_TITLE ? `${keepable(whole, MAX_TITLE - 1)}…` : whole;
  return { title, rest: title === text.trim() ? null : text };
}
