// A few rounds of `npm run chaos`: the seed draws what is disturbed and when, and afterwards everything must be there.
import { describe, expect, inject, it } from 'vitest';
import type { Victim } from '../../scripts/chaos/disturbance.ts';
import { type RoundOptions, runRound } from '../../scripts/chaos/round.ts';

/** The run goes on through these by itself. */
const PASSING: readonly Victim[] = ['server', 'agent', 'freeze'];

const ANY_SEED = Date.now() % 1_000_000_000;

async function expectAllHolds(seeds: readonly number[], options: RoundOptions): Promise<void> {
  const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
  for (const seed of seeds) {
    const { violations } = await runRound(seed, programs, { ...options, small: true });
    // Again with the seed: npm run chaos -- --rounds 1 --seed N --small [--only VICTIMS]
    expect({ seed, violations }).toEqual({ seed, violations: [] });
  }
}

describe('nothing is lost, done twice or left behind when a part of a run is disturbed', () => {
  it.concurrent.each<[string, readonly number[], readonly Victim[]]>([
    ['a supervisor that is killed', [17, 39], ['supervisor', 'group']],
    [`parts that the run replaces, also at the moments of seed ${ANY_SEED}`, [12, ANY_SEED], PASSING],
  ])('with a scripted agent and %s', (_, seeds, only) => expectAllHolds(seeds, { only }));

  it('with the real Claude Code', () => expectAllHolds([21], { claude: true, only: PASSING }));
});
