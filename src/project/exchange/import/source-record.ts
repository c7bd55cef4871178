// One record of another tool's file. A reader takes the fields it knows; the rest are the leftovers, so nothing is lost.
import { MAX_TEXT, MAX_TITLE, toStorable } from '../../../domain/text/text.ts';
import type { Json } from './json.ts';

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class SourceRecord {
  readonly #left = new Map<string, unknown>();

  constructor(value: Json) {
    for (const [key, one] of Object.entries(value)) if (!isEmpty(one)) this.#left.set(key, one);
  }

  /** A value of another type stays among the leftovers. */
  #take<T>(key: string, read: (value: unknown) => T | null): T | null {
    const value = this.#left.get(key);
    const result = value === undefined ? null : read(value);
    if (result !== null) this.#left.delete(key);
    return result;
  }

  /** Tools that copy a format spell its keys in their own ways: the first key with a value counts. */
  #takeFirst<T>(keys: readonly string[], read: (value: unknown) => T | null): T | null {
    for (const key of keys) {
      const value = this.#take(key, read);
      if (value !== null) return value;
    }
    return null;
  }

  text(...keys: readonly string[]): string | null {
    return this.#takeFirst(keys, asText);
  }

  /** A list, or a text with one item a line. */
  texts(...keys: readonly string[]): readonly string[] {
    return this.#takeFirst(keys, asTexts) ?? [];
  }

  /** An id, which some tools write as a number. */
  id(...keys: readonly string[]): string | null {
    return this.#takeFirst(keys, asId);
  }

  ids(...keys: readonly string[]): readonly string[] {
    return this.#takeFirst(keys, asIds) ?? [];
  }

  number(key: string): number | null {
    return this.#take(key, asNumber);
  }

  /** A safe integer, 0 or greater. */
  count(key: string): number | null {
    return this.#take(key, asCount);
  }

  time(...keys: readonly string[]): number | null {
    return this.#takeFirst(keys, asTime);
  }

  record(key: string): SourceRecord | null {
    return this.#take(key, (value) => (isRecord(value) ? new SourceRecord(value) : null));
  }

  /** A list of records. If it contains anything else, the whole list is a leftover. */
  records(key: string): readonly Json[] {
    return this.#take(key, asRecords) ?? [];
  }

  /** Drops keys that only repeat other fields. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#left.delete(key);
  }

  leftovers(): Record<string, string> {
    return Object.fromEntries([...this.#left].map(([key, value]) => [toStorable(key, 200), inWords(value)]));
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const inWords = (value: unknown): string =>
  toStorable(typeof value === 'string' ? value : JSON.stringify(value));

function asText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.length <= MAX_TEXT ? toStorable(value) : null;
}

/** A list written as text has bullets or boxes in front of its lines. */
const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/;

function asTexts(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((one) => !isEmpty(one)).map(inWords);
  const lines = asText(value)?.split(/\r?\n/);
  const items = lines?.map((line) => line.replace(BULLET, '').trim()).filter((line) => line !== '');
  return items === undefined || items.length === 0 ? null : items;
}

function asId(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? toStorable(value.trim(), MAX_TITLE) : null;
}

/** A single id, too. */
function asIds(value: unknown): string[] | null {
  const single = Array.isArray(value) ? null : asId(value);
  if (single !== null) return single === '' ? null : single.split(/[\s,]+/).filter((id) => id !== '');
  if (!Array.isArray(value)) return null;
  const ids = value.map(asId);
  return ids.every((id) => id !== null && id !== '') ? (ids as string[]) : null;
}

const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const asCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

const asRecords = (value: unknown): Json[] | null =>
  Array.isArray(value) && value.every(isRecord) ? value : null;

function asTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) || time < 0 ? null : time;
}
