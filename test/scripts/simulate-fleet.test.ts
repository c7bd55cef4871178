import { expect, it } from 'vitest';
import { type Fleet, simulate } from '../../scripts/simulate-fleet/model.ts';

const FLEET: Fleet = {
  workers: 1,
  tasks: 2_000,
  workSeconds: 600,
  gateSeconds: 60,
  remoteSeconds: 0,
  lockSeconds: 0,
  projects: 1,
  redPercent: 0,
};

it('a worker alone waits for nobody', () => {
  expect(simulate(FLEET).efficiency).toBeCloseTo(1, 1);
});

it('a line that is always busy lands one task in the time of one landing, for any number of workers', () => {
  for (const workers of [50, 500]) {
    const { perHour, lineUse } = simulate({ ...FLEET, workers });
    expect(perHour).toBeGreaterThan(58);
    expect(perHour).toBeLessThanOrEqual(60);
    expect(lineUse).toBeGreaterThan(0.97);
  }
});

it('a lock that is held for longer than a landing decides instead', () => {
  const { perHour, lockUse } = simulate({
    ...FLEET,
    workers: 50,
    gateSeconds: 1,
    lockSeconds: 20,
  });
  expect(perHour).toBeGreaterThan(170);
  expect(perHour).toBeLessThanOrEqual(183);
  expect(lockUse).toBeGreaterThan(0.97);
});
