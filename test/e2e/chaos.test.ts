// A few rounds of `npm run chaos`: the seed draws what is disturbed and when, and afterwards everything must be there.
import { describe, expect, inject, it } from 'vitest';
import { type RoundOptions, runRound } from '../../scripts/chaos/round.ts';

async function expectAllHolds(seed: number, options: RoundOptions): Promise<void> {
  const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
  const { violations } = await runRound(seed, programs, { ...options, small: true });
  // Again with the seed: npm run chaos -- --rounds 1 --seed N --small, and the same --jobs and --only
  expect({ seed, violations }).toEqual({ seed, violations: [] });
}

// Between them: the supervisor, an agent, a rival run, a person, one call of git, and a process that stands still.
describe('nothing is lost, done twice or left behind when a part of a run is disturbed', {
  timeout: 600_000,
}, () => {
  it.concurrent.each([
    ['fixed moments', 13, { only: ['supervisor', 'agent'] }],
    ['moments of two sessions at the same time', 51, { jobs: 2 }],
  ] as const)(
    'nothing is lost, done twice or left behind when a part of a run of a scripted agent is disturbed, at %s',
    (_, seed, options) => expectAllHolds(seed, options),
  );

  it('nothing is lost, done twice or left behind when a part of a run of the real Claude Code is disturbed', () =>
    expectAllHolds(21, { claude: true }));
});
