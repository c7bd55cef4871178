import { expect, inject, it } from 'vitest';
import { tellStories } from '../../scripts/git-dies/stories.ts';

/** Each way to die meets every 127th call, so that about every sixtieth call dies; `npm run git-dies` lets each of them die both ways. */
const EVERY = 127;

it('no work is lost, misplaced or charged for when a call of git dies', { timeout: 600_000 }, async () => {
  const { told } = await tellStories(inject('ralph'), { every: EVERY });
  expect(told.filter(({ broken }) => broken.length > 0)).toEqual([]);
});
