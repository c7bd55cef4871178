import fc from 'fast-check';
import { it } from 'vitest';
import { TailRing } from '../../../src/host/gates/bounded-log.ts';

it('the last bytes of a stream are those that were written last, whatever it was written in', () => {
  const lengths = fc.array(fc.nat({ max: 60_000 }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), lengths, fc.nat(), (capacity, sizes, most) => {
      const ring = new TailRing(capacity);
      const chunks = sizes.map((size, index) => Buffer.alloc(size, `${index}:${size},`));
      for (const chunk of chunks) ring.push(chunk);
      const all = Buffer.concat(chunks);
      const wanted = all.subarray(Math.max(0, all.length - Math.min(most, capacity)));
      return ring.last(most).equals(wanted);
    }),
  );
});
