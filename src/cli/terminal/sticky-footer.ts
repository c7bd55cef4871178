// Owns the screen during a run: lines scroll away above, the footer stays below and is redrawn. No alternate screen, so
// scrollback, copy and search still work. Between two frames the terminal is in its normal state (cursor shown, lines
// wrapped), so even a kill leaves it usable.
import { stripVTControlCharacters } from 'node:util';
import type { Screen, Size } from '../../app/world.ts';
import { width } from '../../text/terminal/table.ts';

export type Clock = {
  now(): number;
  /** Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void;
};

type StickyFooter = {
  /** Prints lines above the footer; they scroll away. */
  print(lines: readonly string[]): void;
  /** Redraws the footer soon: its content has changed. */
  touch(): void;
  /** Prints what is waiting, and removes the footer. */
  close(): void;
};

const FRAME_MS = 1_000 / 15;
/** The footer shows times in seconds. */
const TICK_MS = 1_000;

/** Synchronised output: a terminal that supports it shows a frame as a whole. */
const [BEGIN, END] = ['\x1b[?2026h\x1b[?25l', '\x1b[?25h\x1b[?2026l'];
/** If Ralph and the terminal disagree about a width, the terminal cuts the line instead of shifting all later ones. */
const [NO_WRAP, WRAP] = ['\x1b[?7l', '\x1b[?7h'];

export function stickyFooter(
  screen: Screen,
  draw: (size: Size) => readonly string[],
  clock: Clock = REAL_CLOCK,
): StickyFooter {
  let waiting: string[] = [];
  let shown: readonly string[] = [];
  let shownAt: Size = screen.size();
  let last = Number.NEGATIVE_INFINITY;
  let isOpen = true;
  let isDue = false;
  let cancel: (() => void) | null = null;

  const frame = (isLast: boolean): void => {
    cancel?.();
    isDue = false;
    const size = screen.size();
    const lines = isLast ? [] : draw(size).slice(0, Math.max(1, size.rows - 1));
    const isSame = waiting.length === 0 && size.columns === shownAt.columns && sameLines(lines, shown);
    if (!isSame) {
      const above = waiting.map((line) => `${line}\n`).join('');
      screen.write(`${BEGIN}${erase(shown, size)}${above}${NO_WRAP}${lines.join('\n')}${WRAP}${END}`);
    }
    [waiting, shown, shownAt, last] = [[], lines, size, clock.now()];
    if (!isLast) schedule(TICK_MS);
  };
  const schedule = (delay: number): void => {
    cancel?.();
    cancel = clock.after(delay, () => frame(false));
  };
  const touch = (): void => {
    if (!isOpen || isDue) return;
    const rest = last + FRAME_MS - clock.now();
    isDue = rest > 0;
    if (isDue) schedule(rest);
    else frame(false);
  };
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    frame(true);
    stopListening();
    process.off('exit', close).off('uncaughtExceptionMonitor', close);
  };
  const stopListening = screen.onResize(touch);
  // Before a crash is printed: the footer must not be drawn over it.
  process.once('exit', close).once('uncaughtExceptionMonitor', close);
  touch();
  return {
    print: (lines) => {
      waiting.push(...lines);
      touch();
    },
    touch,
    close,
  };
}

const sameLines = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index]);

/** Moves from the end of the footer to its beginning and clears. A terminal that became narrower has wrapped its lines. */
function erase(lines: readonly string[], { columns }: Size): string {
  if (lines.length === 0) return '';
  const rows = lines.map((line) => Math.max(1, Math.ceil(width(stripVTControlCharacters(line)) / columns)));
  const up = rows.reduce((sum, count) => sum + count, 0) - 1;
  return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
}

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
