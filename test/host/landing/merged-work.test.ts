import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findMergedWork } from '../../../src/host/landing/merged-work.ts';
import { meetingPlace } from '../../support/slots.ts';

it('work is in a merge if its change is there, also below a later one that was squashed with it, and never if its commit is unknown', async () => {
  const { bare, first, second } = await meetingPlace();
  const commit = (text: string, file = 'src/app.js'): string => {
    first.write(file, text);
    return first.commit('Work');
  };
  const one = commit('two\n');
  const over = commit('three\n');
  const other = commit('other\n', 'lib/other.js');
  first.git('push', '-q', 'origin', 'HEAD:refs/heads/work');
  first.git('push', '-q', 'origin', ':refs/heads/work');
  // One commit with the first two, of which the second changed the same line again.
  first.git('reset', '-q', '--hard', 'HEAD~3');
  const squashed = commit('three\n');
  first.git('push', '-q', 'origin', 'HEAD:refs/pull/7/head');
  const merged = { head: squashed, ref: 'refs/pull/7/head' };
  const remote = { name: 'origin', refs: null, patienceMs: 0 };
  const unknown = 'a'.repeat(40);
  // The second machine has none of the commits: the remote still has them, as GitHub does after a forced push.
  for (const { place } of [first, second]) {
    const found = await findMergedWork(place, remote, merged, [one, over, other, unknown]);
    expect([...found].sort()).toEqual([one, over].sort());
  }
  // A head that the remote has no more holds nothing; a remote that does not answer is no answer.
  const away = { head: unknown, ref: 'refs/pull/8/head' };
  expect((await findMergedWork(second.place, remote, away, [one])).size).toBe(0);
  rmSync(bare, { recursive: true });
  await expect(findMergedWork(second.place, remote, away, [one])).rejects.toThrow(/the remote origin/);
});
