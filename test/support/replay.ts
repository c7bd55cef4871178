// Checks out every commit of Ralph into a fresh clone and runs the gate there: what landed must be green by itself.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runNow } from './run-now.ts';
import { tempDir } from './temp.ts';

/** The commits that Ralph landed on the branch, and those of them on which the gate fails. */
export function replay(
  root: string,
  gate: string,
  branch = 'ralph/main',
): { commits: string[]; red: string[] } {
  const clone = join(tempDir(), 'clone');
  const git = (...args: string[]): string =>
    runNow('git', args, { cwd: root, env: { PATH: process.env['PATH'] } }).trim();
  git('clone', '-q', '--branch', branch, root, clone);
  const listed = git('-C', clone, 'log', '--reverse', '--format=%H', '--grep=^Ralph-Session: ', 'HEAD');
  const commits = listed.split('\n').filter(Boolean);
  const red = commits.filter((commit) => {
    git('-C', clone, 'checkout', '-q', '--detach', commit);
    git('-C', clone, 'clean', '-ffdxq');
    return spawnSync('sh', ['-c', gate], { cwd: clone }).status !== 0;
  });
  return { commits, red };
}
