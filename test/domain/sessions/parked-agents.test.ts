import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstToTry, parkedNow } from '../../../src/domain/sessions/parked-agents.ts';

const agents = fc.uniqueArray(
  fc.record({ agent: fc.constantFrom('a', 'b', 'c', 'd'), until: fc.option(fc.nat(100)) }),
  { selector: ({ agent }) => agent },
);

it('an agent is parked until its time, for ever without one, and never because of another agent', () => {
  fc.assert(
    fc.property(agents, fc.nat(100), (all, now) => {
      const names = parkedNow(all, now).map(({ agent }) => agent);
      for (const one of all) {
        expect(names.includes(one.agent)).toBe(one.until === null || one.until > now);
        expect(parkedNow([one], now).length > 0).toBe(names.includes(one.agent));
      }
    }),
  );
});

it('a run waits for the agent that may try first, and for none that it does not try again if another may', () => {
  fc.assert(
    fc.property(agents, (all) => {
      const first = firstToTry(all);
      expect(first === null).toBe(all.length === 0);
      const times = all.map(({ until }) => until ?? Number.POSITIVE_INFINITY);
      if (first !== null) expect(first.until ?? Number.POSITIVE_INFINITY).toBe(Math.min(...times));
    }),
  );
});
