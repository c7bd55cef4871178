// A time limit that is over when what it limits has begun, however long that takes on this machine.
import { statSync } from 'node:fs';
import { expect, vi } from 'vitest';

/** Not before its first byte: a shell makes the file first. */
export const hasText = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** `work` sets its time limit by `setTimeout`. Nothing of Ralph's own that waits beside it may need the clock. */
export async function pastTimeLimit<T>(
  limitMs: number,
  work: () => Promise<T>,
  hasBegun: () => boolean,
): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const ended = work().finally(() => {
      isOver = true;
    });
    await Promise.race([ended, expect.poll(hasBegun).toBe(true)]);
    // Again and again: the limit may be set a moment after the process has begun.
    const passes = expect
      .poll(() => {
        if (!isOver) vi.advanceTimersByTime(limitMs);
        return isOver;
      })
      .toBe(true);
    // Both: a look that is still to come would move the clock of the next test.
    const [result] = await Promise.all([ended, passes]);
    return result;
  } finally {
    vi.useRealTimers();
  }
}
