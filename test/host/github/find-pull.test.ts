import { expect, it } from 'vitest';
import type { Github } from '../../../src/host/github/client.ts';
import { findPull } from '../../../src/host/github/pulls.ts';

const wanted = { branch: 'ralph/feature-search', base: 'main', sessions: ['one', 'two'], earlier: [1] };
const pull = (number: number, state: string, body = 'Ralph-Session: one') => ({
  ...{ number, state, body },
  html_url: `https://github.example/octo/shelf/pull/${number}`,
});
const find = async (...pulls: object[]): Promise<number | undefined> => {
  const github = { list: async () => pulls } as unknown as Github;
  return (await findPull(github, 'octo/shelf', wanted))?.number;
};

it('an earlier pull request of a branch is not taken for the next one, unless somebody opened it again', async () => {
  expect(await find(pull(1, 'closed'))).toBeUndefined();
  expect(await find(pull(1, 'open'))).toBe(1);
  // A killed process opened the next one, and somebody has merged it since.
  expect(await find(pull(2, 'closed'), pull(1, 'closed'))).toBe(2);
  expect(await find(pull(2, 'closed', 'Ralph-Session: other'), pull(1, 'closed'))).toBeUndefined();
});
