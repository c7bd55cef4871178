// The rounds of `npm run chaos -- --fleet` themselves need a machine to themselves: their leases last three seconds.
import { expect, it } from 'vitest';
import { FLEET_VICTIMS } from '../../scripts/chaos/fleet/disturbance.ts';
import { planFleetRound } from '../../scripts/chaos/fleet/plan.ts';

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

it('the plan of a fleet is the same for the same seed, and draws every victim', () => {
  expect(planFleetRound(7)).toEqual(planFleetRound(7));
  const drawn = SEEDS.flatMap((seed) => planFleetRound(seed).disturbances.map(({ victim }) => victim));
  expect(new Set(drawn)).toEqual(new Set(FLEET_VICTIMS));
});
