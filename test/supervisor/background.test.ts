import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openBackground } from '../../src/supervisor/ground/background.ts';

it('a session of a task begins after what an earlier one left to do, and waits for no other task', async () => {
  const background = openBackground();
  const done: string[] = [];
  const work = (name: string) => async () => {
    await turn();
    done.push(name);
  };
  background.later(7, work('waiting for time'));
  background.later(8, work('of another task'));
  await background.before(7);
  expect(done).toEqual(['waiting for time']);
  background.later(7, work('begun'));
  background.begin();
  await background.before(7);
  expect(done).toContain('begun');
  background.later(7, work('at the end'));
  await background.ended();
  expect(done).toEqual(['waiting for time', 'of another task', 'begun', 'at the end']);
});
