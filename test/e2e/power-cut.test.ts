import { expect, inject, it } from 'vitest';
import { cutPowerInStory } from '../../scripts/power-cut/story.ts';

it('every receipt has its commit, and the repository is sound, whenever the power fails', async ({
  skip,
}) => {
  const cuts = await cutPowerInStory(inject('ralph'));
  if (typeof cuts === 'string') return skip(cuts);
  expect(cuts).toHaveLength(20);
  expect(cuts.at(-1)?.receipts).toBeGreaterThan(8);
  expect(cuts.filter(({ broken }) => broken.length > 0)).toEqual([]);
});
