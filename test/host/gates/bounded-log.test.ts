import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TailRing } from '../../../src/host/gates/bounded-log.ts';

it('a ring has the end of all that was pushed, as long as it is asked for and as it can hold', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 10 }), fc.nat(12), (all, capacity, most) => {
      const ring = new TailRing(capacity);
      for (const chunk of all) ring.push(chunk);
      const whole = Buffer.concat(all);
      const length = Math.min(most, capacity, whole.length);
      expect(ring.last(most)).toEqual(whole.subarray(whole.length - length));
    }),
  );
});
