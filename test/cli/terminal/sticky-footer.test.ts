import { expect, it, onTestFinished } from 'vitest';
import { Terminal } from '../../../scripts/picture/terminal.ts';
import type { Size } from '../../../src/app/world.ts';
import { type Clock, stickyFooter } from '../../../src/cli/terminal/sticky-footer.ts';

/** Time goes on when the test says so. */
function fakeClock(): Clock & { pass(milliseconds: number): void } {
  let now = 0;
  let timers: { at: number; call: () => void }[] = [];
  return {
    now: () => now,
    after: (milliseconds, call) => {
      const timer = { at: now + milliseconds, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass: (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.call();
      }
      now = end;
    },
  };
}

function opened(columns = 40, rows = 24) {
  const size: Size = { columns, rows };
  const terminal = new Terminal(columns);
  const written: string[] = [];
  const resized = new Set<() => void>();
  const clock = fakeClock();
  let lines = ['────', '▶ one'];
  const screen = {
    write: (text: string) => {
      written.push(text);
      terminal.write(text);
    },
    size: () => size,
    onResize: (listener: () => void) => {
      resized.add(listener);
      return () => void resized.delete(listener);
    },
  };
  const footer = stickyFooter(screen, () => lines, clock);
  onTestFinished(footer.close);
  const show = (...next: string[]): void => {
    lines = next;
    footer.touch();
  };
  const resize = (to: number): void => {
    size.columns = to;
    for (const listener of resized) listener();
  };
  return { footer, terminal, written, clock, show, resize, resized };
}

it('the footer stays below what is printed, however its height changes', () => {
  const { footer, terminal, clock, show } = opened();
  expect(terminal.text()).toEqual(['────', '▶ one']);
  footer.print(['✓ first', '✓ second']);
  clock.pass(100);
  expect(terminal.text()).toEqual(['✓ first', '✓ second', '────', '▶ one']);
  show('────', '▶ two', '  now', '  Queue');
  clock.pass(100);
  footer.print(['✗ third']);
  show('────');
  clock.pass(100);
  expect(terminal.text()).toEqual(['✓ first', '✓ second', '✗ third', '────']);
});

it('the footer draws at most fifteen whole frames a second, and always shows the last change', () => {
  const { terminal, written, clock, show } = opened();
  const before = written.length;
  for (let change = 0; change < 1_000; change++) {
    show(`▶ ${change}`);
    clock.pass(1);
  }
  clock.pass(100);
  expect(written.length - before).toBeLessThanOrEqual(16);
  expect(terminal.text()).toEqual(['▶ 999']);
  for (const frame of written) expect(frame).toMatch(/^\x1b\[\?2026h[\s\S]*\x1b\[\?2026l$/);
});

it('the footer refreshes every second, and writes nothing if nothing has changed', () => {
  let seconds = 0;
  const clock = fakeClock();
  const written: string[] = [];
  const screen = {
    write: (text: string) => void written.push(text),
    size: () => ({ columns: 40, rows: 24 }),
    onResize: () => () => {},
  };
  const footer = stickyFooter(screen, () => [`${seconds}s`], clock);
  onTestFinished(footer.close);
  seconds = 1;
  clock.pass(1_000);
  expect(written.at(-1)).toContain('1s');
  const { length } = written;
  clock.pass(10_000);
  expect(written).toHaveLength(length);
});

it('a closed footer is gone, with everything printed and the terminal restored', () => {
  const { footer, terminal, written, clock, resized } = opened();
  footer.print(['✓ last']);
  footer.close();
  expect(terminal.text()).toEqual(['✓ last', '']);
  expect(terminal).toMatchObject({ isCursorShown: true, isWrapping: true, isInFrame: false });
  expect(resized.size).toBe(0);
  const { length } = written;
  footer.touch();
  clock.pass(5_000);
  footer.close();
  expect(written).toHaveLength(length);
});

it('the footer is gone before a crash is printed, and at exit', () => {
  for (const event of ['uncaughtExceptionMonitor', 'exit'] as const) {
    const listeners = process.listeners(event as 'exit');
    const { terminal } = opened();
    for (const listener of process.listeners(event as 'exit').filter((one) => !listeners.includes(one)))
      listener(1);
    expect(terminal.text()).toEqual(['']);
  }
});

it('the footer leaves no remains when the terminal becomes narrower', () => {
  const { footer, terminal, clock, show, resize } = opened(40);
  footer.print(['✓ first']);
  show('─'.repeat(40), '▶ one');
  clock.pass(100);
  // A terminal breaks the lines that are too long for it.
  const narrow = new Terminal(20);
  narrow.write(terminal.text().join('\n'));
  terminal.write = (text) => narrow.write(text);
  show('─'.repeat(20), '▶ one');
  resize(20);
  clock.pass(100);
  expect(narrow.text()).toEqual(['✓ first', '─'.repeat(20), '▶ one']);
});

it('the footer is never higher than the terminal', () => {
  const { terminal, clock, show } = opened(40, 4);
  show('1', '2', '3', '4', '5', '6');
  clock.pass(100);
  expect(terminal.text()).toEqual(['1', '2', '3']);
});

it('the footer does not shift when the terminal draws a character wider than expected', () => {
  const { terminal, clock, show } = opened(10);
  show('▶ far too long for it', 'second');
  clock.pass(100);
  show('▶ again far too long', 'second');
  clock.pass(100);
  expect(terminal.text()).toEqual(['▶ again fa', 'second']);
});
