import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createServerClock } from '../../src/store/postgres/server-clock.ts';

const MS = fc.nat(2_000);

it('the time of the server is known up to the time of one answer, and stays as it is where the machine is right', () => {
  const skews = fc.constantFrom(0, -3_600_000, 90_000);
  const answers = fc.array(fc.record({ there: MS, back: MS, later: MS }), { minLength: 1 });
  fc.assert(
    fc.property(skews, answers, (skew, all) => {
      let machine = 1_000_000;
      const clock = createServerClock(() => machine);
      let nearest = Number.POSITIVE_INFINITY;
      for (const { there, back, later } of all) {
        const asked = machine;
        const time = asked + there + skew;
        machine += there + back;
        clock.observe(time, asked, machine);
        nearest = Math.min(nearest, there + back + 1);
        expect(Math.abs(clock.now() - (machine + skew))).toBeLessThanOrEqual(nearest);
        if (skew === 0) expect(clock.now()).toBe(machine);
        machine += later;
      }
    }),
  );
});

it('a clock that a person sets right is followed', () => {
  let machine = 0;
  const clock = createServerClock(() => machine);
  clock.observe(500_000, 0, 2);
  expect(clock.now()).toBeGreaterThan(499_000);
  machine = 500_100;
  clock.observe(500_100, 500_099, 500_101);
  expect(Math.abs(clock.now() - 500_100)).toBeLessThanOrEqual(3);
});
