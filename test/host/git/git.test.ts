import { expect, it } from 'vitest';
import { parentOfCommit, rememberCommit, treeOfCommit } from '../../../src/host/git/git.ts';

const name = (number: number): string => number.toString(16).padStart(40, '0');

it('Ralph starts no git to read a commit that it has just made, however many it made before', async () => {
  // No git can be started here.
  const nowhere = { root: '/nowhere', env: {} };
  for (let made = 1; made <= 1000; made++) {
    rememberCommit(name(made), { tree: name(made + 5000), parent: name(made - 1) });
    for (const commit of made === 1 ? [1] : [made - 1, made]) {
      expect(await treeOfCommit(nowhere, name(commit))).toBe(name(commit + 5000));
      expect(await parentOfCommit(nowhere, name(commit))).toBe(name(commit - 1));
    }
  }
});
