// One small round of `npm run chaos -- --fleet`: a machine loses its power, and another one finishes what it began.
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { FLEET_VICTIMS } from '../../scripts/chaos/fleet/disturbance.ts';
import { planFleetRound } from '../../scripts/chaos/fleet/plan.ts';
import { runFleetRound } from '../../scripts/chaos/fleet/round.ts';
import { fleetProblem } from '../../scripts/chaos/fleet/rounds.ts';
import { testDatabase } from '../support/postgres.ts';

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

it('the plan of a fleet is the same for the same seed, and draws every victim', () => {
  expect(planFleetRound(7)).toEqual(planFleetRound(7));
  const drawn = SEEDS.flatMap((seed) => planFleetRound(seed).disturbances.map(({ victim }) => victim));
  expect(new Set(drawn)).toEqual(new Set(FLEET_VICTIMS));
});

describe('a fleet', () => {
  beforeEach((context) => {
    const problem = fleetProblem();
    if (problem !== null) context.skip(`Rounds of a fleet cannot be played here: ${problem}.`);
  });

  it('loses nothing when a machine loses its power', async () => {
    const url = await testDatabase();
    const unused = (): Promise<never> => Promise.reject(new Error('This round needs a server to itself.'));
    // The server of all tests: to start another one costs as much as half of the round.
    const server = {
      port: Number(new URL(url).port),
      makeQueue: async () => url,
      kill: unused,
      restart: unused,
      stop: unused,
    };
    const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
    const { violations, disturbed } = await runFleetRound(3, programs, server, {
      small: true,
      only: ['machine'],
    });
    expect({ violations, victims: disturbed.map(({ victim }) => victim) }).toEqual({
      violations: [],
      victims: ['machine'],
    });
  });
});
