import { expect, it } from 'vitest';
import { age } from '../../../src/domain/text/amounts.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];

it('an age is shown in seconds, then minutes, then hours, then days', () => {
  const ages = [5_000, 11 * MINUTE + 7_000, HOUR, 47 * HOUR + 59 * MINUTE, 48 * HOUR, 720 * HOUR].map(age);
  expect(ages).toEqual(['5s', '11m', '1h00m', '47h59m', '2d', '30d']);
});
