import { expect, it } from 'vitest';
import { resumeTime, startRun } from '../../src/queue/sessions/runs.ts';
import { createPauses, FIRST_PAUSE_MS, waitUntil } from '../../src/supervisor/pauses.ts';
import { NOT_RUN } from '../../src/supervisor/session-end.ts';
import { openTestQueue } from '../support/queue.ts';

const MINUTE = 60_000;
const unreachable = { ...NOT_RUN, fault: 'unreachable' as const };

function waiting(outageMs: number) {
  let now = 0;
  const pauses = createPauses({ now: () => now, pauseMs: 5 * MINUTE, outageMs });
  /** How long it waits, and then it is that much later. */
  const next = (end = unreachable as typeof NOT_RUN): number | null => {
    const until = pauses.after(end)?.until ?? null;
    const waited = until === null ? null : until - now;
    now += waited ?? 0;
    return waited;
  };
  return { next };
}

it('the pauses of an outage double up to five minutes, and end when the run has waited for an hour', () => {
  const { next } = waiting(60 * MINUTE);
  const waits = Array.from({ length: 30 }, () => next()).filter((wait) => wait !== null);
  expect(waits.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000));
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(60 * MINUTE);
});

it('a run waits for an outage without end if the person wants that', () => {
  const { next } = waiting(Number.POSITIVE_INFINITY);
  expect(Array.from({ length: 1_000 }, () => next()).at(-1)).toBe(5 * MINUTE);
});

it('a session without an outage resets the pauses', () => {
  const { next } = waiting(MINUTE);
  next();
  next();
  expect(next(NOT_RUN)).toBeNull();
  expect(next()).toBe(FIRST_PAUSE_MS);
});

it('a run waits for a limit as long as it says, and not at all for what a person has to mend', () => {
  const { next } = waiting(MINUTE);
  expect(next({ ...NOT_RUN, fault: 'usage_limit', limited_until: 7_000 })).toBe(7_000);
  expect(next({ ...NOT_RUN, fault: 'usage_limit' })).toBe(5 * MINUTE);
  expect(next({ ...NOT_RUN, fault: 'no_credit' })).toBeNull();
});

it('a later run waits for the limit of an earlier one, and not for its outage', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const stopped = AbortSignal.abort();
  const input = { queue, stop: { after: stopped, now: stopped }, tell: () => {} };
  await waitUntil(input, run_id, { until: 9_000_000, fault: 'overloaded' });
  expect(await resumeTime(queue)).toBeNull();
  await waitUntil(input, run_id, { until: 8_000_000, fault: 'usage_limit' });
  expect(await resumeTime(queue)).toBe(8_000_000);
});
