import { useMemo, useState } from 'preact/hooks';
import type { Row } from '../../../src/ui/views/session.ts';
import { request } from '../../api.ts';

const WINDOW = 100;
/** Enough for scrolling back and forth; rows further away are read again. */
const MAX_WINDOWS = 30;

type Entries = {
  /** Null until it has been read. */
  row(position: number): Row | null;
  want(first: number, last: number): void;
};

/** The rows of a list that is too long to hold, read in windows. `path`: their address, up to the `from` of its query. */
export function useEntries(path: string, total: number): Entries {
  const [, setVersion] = useState(0);
  const rows = useMemo(() => new EntryWindows(path, () => setVersion((version) => version + 1)), [path]);
  rows.total = total;
  return rows;
}

class EntryWindows implements Entries {
  total = 0;
  private readonly windows = new Map<number, Row[]>();
  private readonly reading = new Map<number, AbortController>();
  private wanted = { from: 0, to: 0 };
  private readonly path: string;
  private readonly changed: () => void;

  constructor(path: string, changed: () => void) {
    this.path = path;
    this.changed = changed;
  }

  row(position: number): Row | null {
    return this.windows.get(Math.floor(position / WINDOW))?.[position % WINDOW] ?? null;
  }

  want(first: number, last: number): void {
    const [from, to] = [first, Math.max(first, last - 1)].map((position) => Math.floor(position / WINDOW));
    this.wanted = { from: from ?? 0, to: to ?? 0 };
    // The server need not finish reading windows that were scrolled past.
    for (const [index, controller] of this.reading) if (!this.isWanted(index)) controller.abort();
    this.readWanted();
  }

  private isWanted(index: number): boolean {
    return index >= this.wanted.from && index <= this.wanted.to;
  }

  private readWanted(): void {
    for (let index = this.wanted.from; index <= this.wanted.to; index++) {
      const have = this.windows.get(index)?.length ?? 0;
      const isReading = this.reading.get(index)?.signal.aborted === false;
      if (have < Math.min(WINDOW, this.total - index * WINDOW) && !isReading) void this.read(index, have);
    }
  }

  private async read(index: number, have: number): Promise<void> {
    const controller = new AbortController();
    this.reading.set(index, controller);
    const rows: Row[] = await request(`${this.path}from=${index * WINDOW}&count=${WINDOW}`, controller).then(
      (answer) => answer.json(),
      // A banner says that the server is gone.
      () => [],
    );
    if (this.reading.get(index) === controller) this.reading.delete(index);
    if (rows.length <= have) return;
    this.windows.delete(index);
    this.windows.set(index, rows);
    const [oldest] = this.windows.keys();
    if (this.windows.size > MAX_WINDOWS && oldest !== undefined) this.windows.delete(oldest);
    this.changed();
    // The list may have grown during the read.
    if (this.isWanted(index)) this.readWanted();
  }
}
