// The session streams that pages show: keeps their indexes, and reads rows, entries and search results through them.
import { setTimeout as pause } from 'node:timers/promises';
import {
  cutFields,
  type EntryGroup,
  type EntryRow,
  entryFields,
  entryRow,
  type Field,
  toolName,
} from '../../domain/transcript/entry.ts';
import type { Progress } from '../../domain/transcript/progress.ts';
import { type OpenFile, openOwnFile } from '../../files/own-file.ts';
import { CHUNK_BYTES } from '../../files/read-lines.ts';
import { StreamIndex } from './stream-index.ts';
import { StreamLines } from './stream-lines.ts';

/** An index takes 15 bytes an entry. */
const MAX_INDEXES = 8;
/** Long enough to index new lines. A caller does not wait longer for a first indexing: the state says how far it is. */
const WAIT_MS = 250;
const MAX_WHOLE = 1_000_000;
const MAX_FOUND = 500;

export type StreamState = {
  /** Null if there is no file. */
  size: number | null;
  read: number;
  count: number;
  counts: Record<EntryGroup, number>;
  isFull: boolean;
  progress: Progress;
};

/** `number`: the entry's place in the stream. `at`: when it was written, if the entry says so. */
export type Row = EntryRow & { number: number; at: number | null };

/** `tool`: the tool that was called; null for any other entry. */
export type WholeEntry = Omit<Row, 'line'> & { tool: string | null; fields: Field[]; left_out: number };

/** `found`: positions among the entries of the group. `next`: where the search continues; equal to `count` at the end. */
export type StreamMatches = { found: number[]; next: number; count: number };

/** A session's file. `isOver`: nothing more will be written. `open`: for one that may not be on this machine. */
export type StreamFile = { path: string; isOver: boolean; open?: OpenFile };

const openStream = ({ path, open = () => openOwnFile(path) }: StreamFile): ReturnType<OpenFile> => open();

export type Streams = {
  state(stream: StreamFile): Promise<StreamState>;
  rows(stream: StreamFile, only: EntryGroup | null, from: number, count: number): Promise<Row[]>;
  whole(stream: StreamFile, number: number): Promise<WholeEntry | null>;
  find(stream: StreamFile, query: StreamQuery, signal: AbortSignal): Promise<StreamMatches>;
};

/** `text` is searched literally, ignoring case. */
type StreamQuery = { text: string; only: EntryGroup | null; from: number };

type CachedIndex = { index: StreamIndex; extending: Promise<void> | null; isThere: boolean };

export function openStreams({ waitMs = WAIT_MS, chunkBytes = CHUNK_BYTES } = {}): Streams {
  const indexes = new Map<string, CachedIndex>();

  function findIndex(path: string): CachedIndex {
    const cached = indexes.get(path) ?? {
      index: new StreamIndex(chunkBytes),
      extending: null,
      isThere: false,
    };
    indexes.delete(path);
    indexes.set(path, cached);
    const [oldest] = indexes.keys();
    if (indexes.size > MAX_INDEXES && oldest !== undefined) indexes.delete(oldest);
    return cached;
  }

  async function extend(cached: CachedIndex, stream: StreamFile): Promise<void> {
    const file = await openStream(stream);
    cached.isThere = file !== null;
    if (file === null) return;
    try {
      await cached.index.extend(file, stream.isOver);
    } finally {
      await file.close();
    }
  }

  /** Extends an index once at a time; callers that come meanwhile share the result. */
  function extendOnce(cached: CachedIndex, stream: StreamFile): Promise<void> {
    if (cached.extending === null) {
      cached.extending = extend(cached, stream).finally(() => {
        cached.extending = null;
      });
      // A caller may stop waiting before this fails: unhandled, the rejection would end the server. The next call tries again.
      cached.extending.catch(() => {});
    }
    return cached.extending;
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
    stream: StreamFile,
    nothing: T,
    work: (index: StreamIndex, lines: StreamLines) => Promise<T>,
  ): Promise<T> {
    const cached = findIndex(stream.path);
    // During a first indexing, use what is indexed already.
    if (cached.extending === null || cached.index.count === 0) await waitFor(extendOnce(cached, stream));
    const file = await openStream(stream);
    if (file === null) return nothing;
    try {
      return await work(cached.index, new StreamLines(file));
    } finally {
      await file.close();
    }
  }

  return {
    state: async (stream) => {
      const cached = findIndex(stream.path);
      await waitFor(extendOnce(cached, stream));
      const { read, size, count, counts, progress } = cached.index;
      return {
        size: cached.isThere ? size : null,
        read: cached.index.isFull() ? size : read,
        count,
        counts: { ...counts },
        isFull: cached.index.isFull(),
        progress,
      };
    },

    rows: (stream, only, from, count) =>
      withFile(stream, [], async (index, lines) => {
        const rows: Row[] = [];
        for (const number of index.numbers(only, from)) {
          if (rows.length === count) break;
          const found = await lines.part(index.position(number));
          if (found !== null) rows.push({ ...entryRow(found.part.entry), number, at: found.line.at });
        }
        return rows;
      }),

    whole: (stream, number) =>
      withFile(stream, null, async (index, lines) => {
        const found = await lines.part(index.position(number));
        if (found === null) return null;
        const { part, line } = found;
        const { kind, isWrong } = entryRow(part.entry);
        const tool = part.entry.kind === 'tool' ? toolName(part.entry.name) : null;
        return {
          kind,
          isWrong,
          tool,
          number,
          at: line.at,
          ...cutFields(entryFields(part, line), MAX_WHOLE),
        };
      }),

    find: (stream, { text, only, from }, signal) =>
      withFile(stream, { found: [], next: from, count: from }, async (index, lines) => {
        const query = text.toLowerCase();
        const found: number[] = [];
        let position = from;
        for (const number of index.numbers(only, from)) {
          if (found.length === MAX_FOUND || signal.aborted) break;
          const entryPosition = index.position(number);
          const isHit = entryPosition !== null && (await lines.has(entryPosition, query));
          if (isHit) found.push(position);
          position += 1;
        }
        return { found, next: position, count: index.countIn(only) };
      }),
  };
}
