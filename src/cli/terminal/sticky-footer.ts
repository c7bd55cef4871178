// Owns the screen while a run goes on: lines scroll away above, a few stay below and are drawn over. No alternate
// screen, so that scrollback, copy and search stay the terminal's. Between two frames the terminal is as anybody expects
// it, cursor shown and lines wrapped: no way out, not even a kill, can leave it otherwise.
import { stripVTControlCharacters } from 'node:util';
import type { Screen, Size } from '../../app/world.ts';
import { width } from '../../text/terminal/table.ts';

export type Clock = {
  now(): number;
  /** Gives back how to call it off. */
  after(milliseconds: number, call: () => void): () => void;
};

export type StickyFooter = {
  /** Scrolls away above the footer. */
  print(lines: readonly string[]): void;
  /** What is shown has changed. */
  touch(): void;
  /** The footer is gone, and everything that was printed is there. */
  close(): void;
};

const FRAME_MS = 1_000 / 15;
/** Times that are shown go on by the second. */
const TICK_MS = 1_000;

/** Synchronised: a terminal that can shows the frame as a whole. */
const [BEGIN, END] = ['\x1b[?2026h\x1b[?25l', '\x1b[?25h\x1b[?2026l'];
/** A width that we and the terminal count differently is cut by it, instead of shifting every line after it. */
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
  let callOff: (() => void) | null = null;

  const frame = (isLast: boolean): void => {
    callOff?.();
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
    callOff?.();
    callOff = clock.after(delay, () => frame(false));
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
  // Before anything is said of a crash: what is said must not be drawn over.
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

/** From the end of the footer back to its beginning. A terminal that became narrower has broken its lines. */
function erase(lines: readonly string[], { columns }: Size): string {
  if (lines.length === 0) return '';
  const taken = lines.map((line) => Math.max(1, Math.ceil(width(stripVTControlCharacters(line)) / columns)));
  const up = taken.reduce((sum, rows) => sum + rows, 0) - 1;
  return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
}

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
