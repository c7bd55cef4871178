// The streams that somebody looks at: their indexes, and what is read by them.
import { setTimeout as pause } from 'node:timers/promises';
import { type EntryGroup, type EntryRow, rowOf, toolName } from '../../domain/transcript/entry.ts';
import { type Progress, timeOf } from '../../domain/transcript/stream-progress.ts';
import { cutFields, type Field, wholeOf } from '../../domain/transcript/whole-entry.ts';
import { openOwnFile } from '../../files/own-file.ts';
import { CHUNK_BYTES } from '../../files/read-lines.ts';
import { StreamIndex } from './stream-index.ts';
import { StreamLines } from './stream-lines.ts';

/** Each holds 15 bytes an entry. */
const MAX_INDEXES = 8;
/** Long enough for what has come since; whoever waits for a first reading is told how far it is. */
const WAIT_MS = 250;
const MAX_WHOLE = 1_000_000;
const MAX_FOUND = 500;

export type StreamState = {
  /** Null where there is no file. */
  size: number | null;
  read: number;
  count: number;
  counts: Record<EntryGroup, number>;
  isFull: boolean;
  progress: Progress;
};

/** `number`: which entry of the stream it is. `at`: when it was written, where it says so. */
export type Row = EntryRow & { number: number; at: number | null };

/** `tool`: which was used; null for all that is no use of one. */
export type WholeEntry = Omit<Row, 'line'> & { tool: string | null; fields: Field[]; left_out: number };

/** Positions among the entries of the group. `next`: from where to look on; `count` when there is nothing more. */
export type StreamMatches = { found: number[]; next: number; count: number };

/** A session's file. `isOver`: nothing more will be written. */
export type StreamPlace = { path: string; isOver: boolean };

export type Streams = {
  state(place: StreamPlace): Promise<StreamState>;
  rows(place: StreamPlace, only: EntryGroup | null, from: number, count: number): Promise<Row[]>;
  whole(place: StreamPlace, number: number): Promise<WholeEntry | null>;
  find(place: StreamPlace, query: Query, signal: AbortSignal): Promise<StreamMatches>;
};

/** Found literally, whatever the case. */
export type Query = { text: string; only: EntryGroup | null; from: number };

type Looked = { index: StreamIndex; extending: Promise<void> | null; isThere: boolean };

export function openStreams({ waitMs = WAIT_MS, chunkBytes = CHUNK_BYTES } = {}): Streams {
  const looked = new Map<string, Looked>();

  function lookAt(path: string): Looked {
    const one = looked.get(path) ?? { index: new StreamIndex(chunkBytes), extending: null, isThere: false };
    looked.delete(path);
    looked.set(path, one);
    const [oldest] = looked.keys();
    if (looked.size > MAX_INDEXES && oldest !== undefined) looked.delete(oldest);
    return one;
  }

  async function extend(one: Looked, { path, isOver }: StreamPlace): Promise<void> {
    const file = await openOwnFile(path);
    one.isThere = file !== null;
    if (file === null) return;
    try {
      await one.index.extend(file, isOver);
    } finally {
      await file.close();
    }
  }

  /** One reading at a time; whoever comes during it takes what it brings. */
  function extended(one: Looked, place: StreamPlace): Promise<void> {
    if (one.extending === null) {
      one.extending = extend(one, place).finally(() => {
        one.extending = null;
      });
      // Whoever stopped waiting for it must not take the server down: it is tried again, and told then.
      one.extending.catch(() => {});
    }
    return one.extending;
  }

  async function waitFor(reading: Promise<void>): Promise<void> {
    const over = new AbortController();
    try {
      await Promise.race([reading, pause(waitMs, undefined, { signal: over.signal })]);
    } finally {
      over.abort();
    }
  }

  async function withFile<T>(
    place: StreamPlace,
    nothing: T,
    work: (index: StreamIndex, lines: StreamLines) => Promise<T>,
  ): Promise<T> {
    const one = lookAt(place.path);
    // During a first reading, what there is already is shown.
    if (one.extending === null || one.index.count === 0) await waitFor(extended(one, place));
    const file = await openOwnFile(place.path);
    if (file === null) return nothing;
    try {
      return await work(one.index, new StreamLines(file));
    } finally {
      await file.close();
    }
  }

  return {
    state: async (place) => {
      const one = lookAt(place.path);
      await waitFor(extended(one, place));
      const { read, size, count, counts, progress } = one.index;
      return {
        size: one.isThere ? size : null,
        read: one.index.isFull() ? size : read,
        count,
        counts: { ...counts },
        isFull: one.index.isFull(),
        progress,
      };
    },

    rows: (place, only, from, count) =>
      withFile(place, [], async (index, lines) => {
        const rows: Row[] = [];
        for (const number of index.numbers(only, from)) {
          if (rows.length === count) break;
          const found = await lines.part(index.place(number));
          if (found !== null) rows.push({ ...rowOf(found.part.entry), number, at: timeOf(found.said) });
        }
        return rows;
      }),

    whole: (place, number) =>
      withFile(place, null, async (index, lines) => {
        const found = await lines.part(index.place(number));
        if (found === null) return null;
        const { part, said, line } = found;
        const { kind, isWrong } = rowOf(part.entry);
        const tool = part.entry.kind === 'tool' ? toolName(part.entry.name) : null;
        return {
          kind,
          isWrong,
          tool,
          number,
          at: timeOf(said),
          ...cutFields(wholeOf(part, line), MAX_WHOLE),
        };
      }),

    find: (place, { text, only, from }, signal) =>
      withFile(place, { found: [], next: from, count: from }, async (index, lines) => {
        const wanted = text.toLowerCase();
        const found: number[] = [];
        let position = from;
        for (const number of index.numbers(only, from)) {
          if (found.length === MAX_FOUND || signal.aborted) break;
          const where = index.place(number);
          const isHit = where !== null && (await lines.has(where, wanted));
          if (isHit) found.push(position);
          position += 1;
        }
        return { found, next: position, count: index.countOf(only) };
      }),
  };
}
