import { expect, it } from 'vitest';
import { openPatience } from '../../src/supervisor/patience.ts';

it('a run waits for its database until it is told to end, and longer only while a session is at work', async () => {
  const [after, now] = [new AbortController(), new AbortController()];
  const patience = openPatience({ after: after.signal, now: now.signal });
  expect(patience.goOn()).toBe(true);
  after.abort();
  expect(patience.goOn()).toBe(false);
  const fails = patience.whileAtWork(async () => {
    expect(patience.goOn()).toBe(true);
    now.abort();
    expect(patience.goOn()).toBe(false);
    throw new Error('The session failed.');
  });
  await expect(fails).rejects.toThrow('The session failed.');
  expect(patience.goOn()).toBe(false);
});

it('what a run left unfinished waits no longer once the run is over', () => {
  const { signal } = new AbortController();
  const patience = openPatience({ after: signal, now: signal });
  patience.end();
  expect(patience.goOn()).toBe(false);
});
