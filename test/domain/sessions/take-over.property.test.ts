// Runs renew their leases while the database answers; a run may freeze, lose the database, or die. The model keeps what the rows of
// the database would hold, on one clock: that of the database.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayTakeOver, takeOverIn } from '../../../src/domain/sessions/liveness.ts';
import type { Lease } from '../../../src/domain/sessions/session.ts';
import { tries } from '../../support/tries.ts';

const [LEASE, RUNS] = [60, 3];
/** Up to the longest that the configuration allows. */
const beats = fc.constantFrom(5, 10, 15);

/** What hinders a run, or every run, for so many ticks. A dead run never comes back. */
type Trouble = { run: number | 'database'; from: number; ticks: number | 'for ever' };

const trouble: fc.Arbitrary<Trouble> = fc.record({
  run: fc.constantFrom<(number | 'database')[]>('database', ...Array(RUNS).keys()),
  from: fc.nat(400),
  ticks: fc.oneof(fc.integer({ min: 1, max: 3 * LEASE }), fc.constant<'for ever'>('for ever')),
});

type Row = { heartbeat: number; since: number; until: number };

/** Calls `judge` whenever a run that can reach the database looks at another one. */
function simulate(
  troubles: readonly Trouble[],
  { every, offsets }: { every: number; offsets: readonly number[] },
  judge: (now: number, owner: number, ownerLease: Lease, judgeLease: Lease) => void,
): void {
  const stops = (run: number | 'database', now: number): boolean =>
    troubles.some(
      (one) =>
        one.run === run &&
        !(one.run === 'database' && one.ticks === 'for ever') &&
        now >= one.from &&
        (one.ticks === 'for ever' || now < one.from + one.ticks),
    );
  const rows: Row[] = offsets.map(() => ({ heartbeat: 0, since: 0, until: LEASE }));
  const leaseAt = ({ heartbeat, since, until }: Row, now: number): Lease => ({
    length_ms: until - heartbeat,
    left_ms: until - now,
    unbroken_ms: now - since,
  });
  for (let now = 1; now < 1_000; now++) {
    if (stops('database', now)) continue;
    for (const [run, row] of rows.entries())
      if (!stops(run, now) && now % every === (offsets[run] ?? 0) % every) {
        if (row.heartbeat + row.until <= 2 * now) row.since = now;
        rows[run] = { heartbeat: now, since: row.since, until: now + LEASE };
      }
    for (const [by, judgeRow] of rows.entries())
      for (const [owner, ownerRow] of rows.entries())
        if (by !== owner && !stops(by, now))
          judge(now, owner, leaseAt(ownerRow, now), leaseAt(judgeRow, now));
  }
}

const rhythm = fc.record({
  every: beats,
  offsets: fc.array(fc.nat(14), { minLength: RUNS, maxLength: RUNS }),
});
const found = ({ left_ms }: Lease) => (left_ms > 0 ? 'unseen' : 'silent');

it('a run that answers whenever the database does is never taken over, whatever happens to the others', () => {
  fc.assert(
    fc.property(fc.array(trouble, { maxLength: 6 }), rhythm, (troubles, beating) => {
      const healthy = [0, 1, 2].filter((run) => !troubles.some((one) => one.run === run));
      const wronged: number[] = [];
      simulate(troubles, beating, (now, owner, ownerLease, judgeLease) => {
        if (healthy.includes(owner) && mayTakeOver(found(ownerLease), ownerLease, judgeLease))
          wronged.push(now);
      });
      expect(wronged).toEqual([]);
    }),
    { numRuns: tries(300) },
  );
});

it('a dead run is taken over within two leases by a run that works, and is not before its own lease is over', () => {
  fc.assert(
    fc.property(fc.nat(400), rhythm, (from, beating) => {
      const taken: number[] = [];
      simulate([{ run: 0, from, ticks: 'for ever' }], beating, (now, owner, ownerLease, judgeLease) => {
        if (owner === 0 && mayTakeOver(found(ownerLease), ownerLease, judgeLease)) taken.push(now);
      });
      expect(taken[0]).toBeGreaterThan(from + LEASE - beating.every - 1);
      expect(taken[0]).toBeLessThanOrEqual(from + 2 * LEASE);
    }),
    { numRuns: tries(60) },
  );
});

it('the time until a run may take over is the time that its own lease is still too young', () => {
  const lease = (unbroken_ms: number, left_ms = 50, length_ms = LEASE): Lease => ({
    length_ms,
    left_ms,
    unbroken_ms,
  });
  expect(takeOverIn(lease(0, -1), lease(20))).toBe(40);
  expect(takeOverIn(lease(0, -1), lease(80))).toBe(0);
  // The longer lease counts: configurations differ while a change spreads.
  expect(takeOverIn(lease(0, -1, 100), lease(80))).toBe(20);
  expect(mayTakeOver('silent', lease(0, -1, 100), lease(80))).toBe(false);
  // A judge that did not renew in time was frozen or cut off itself.
  expect(takeOverIn(lease(0, -1), lease(80, 30))).toBe(LEASE);
  expect(mayTakeOver('silent', lease(0, -1), lease(80, 30))).toBe(false);
  expect(mayTakeOver('silent', lease(0, -1), null)).toBe(false);
  expect(mayTakeOver('dead', null, null)).toBe(true);
  expect([mayTakeOver('alive', null, lease(80)), mayTakeOver('unseen', null, lease(80))]).toEqual([
    false,
    false,
  ]);
});
