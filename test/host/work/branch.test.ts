import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordBranch, undoAgentsMoves } from '../../../src/host/work/branch.ts';
import { tempDir } from '../../support/temp.ts';

it('a commit that a person amends between the claim and the start of a session stays amended', async () => {
  const root = tempDir();
  const env = { PATH: process.env['PATH'], HOME: root };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' }).trim();
  git('init', '-q');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('commit', '-q', '--allow-empty', '-m', 'Begin');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  const session = { id: 's', base_commit: git('rev-parse', 'HEAD') };
  git('commit', '-q', '--allow-empty', '--amend', '-m', 'Amended');
  await recordBranch(place, session.id);
  expect(await undoAgentsMoves(place, session, { mayCommit: false })).toBeNull();
  expect(git('log', '--format=%s')).toBe('Amended');
});
