// A few rounds of `npm run chaos`: the seed draws what is disturbed and when, and afterwards everything must be there.
import { describe, expect, inject, it } from 'vitest';
import { type RoundOptions, runRound } from '../../scripts/chaos/round.ts';

const ANY_SEED = Date.now() % 1_000_000_000;

async function expectAllHolds(seeds: readonly number[], options: RoundOptions): Promise<void> {
  const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
  for (const seed of seeds) {
    const { violations } = await runRound(seed, programs, { ...options, small: true });
    // Again with the seed: npm run chaos -- --rounds 1 --seed N --small
    expect({ seed, violations }).toEqual({ seed, violations: [] });
  }
}

describe('nothing is lost, done twice or left behind when a part of a run is disturbed', () => {
  it.concurrent.each([
    ['fixed moments', [11, 12]],
    [`other moments, and those of seed ${ANY_SEED}`, [14, ANY_SEED]],
  ])('with a scripted agent, at %s', (_, seeds) => expectAllHolds(seeds, {}));

  it('with the real Claude Code', () => expectAllHolds([21], { claude: true }));
});
