import { expect, it } from 'vitest';
import { slotRun } from '../support/slot-run.ts';
import { slotRepository } from '../support/slots.ts';

it('after a failure to bring the checkout forward, a later landing does so', async () => {
  const run = await slotRun(await slotRepository());
  run.followBeside(async () => {
    throw new Error('EACCES');
  });
  await expect(run.followed()).rejects.toThrow('EACCES');
  let hasFollowed = false;
  run.followBeside(async () => {
    hasFollowed = true;
  });
  await run.followed();
  expect(hasFollowed).toBe(true);
});
