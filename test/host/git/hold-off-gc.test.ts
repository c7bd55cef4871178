import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { holdingOffGc } from '../../../src/host/git/hold-off-gc.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { landCommit } from '../../../src/host/landing/land-commit.ts';
import { workTaker } from '../../../src/host/landing/work-refs.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const folder = tempDir();
  const root = join(folder, 'project');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  writeFileSync(join(root, 'a.txt'), 'a\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  return { root, env, git, place, lock: join(root, '.git/gc.pid') };
}

/** A git that lets a person's `gc --prune=now` run right before the calls that the pattern names. */
function gitWithGc(env: Record<string, string>, pattern: string): Record<string, string> {
  const bin = tempDir();
  const real = spawnSync('sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).stdout.trim();
  const script = `#!/bin/sh
case "$*" in ${pattern}) env -u GIT_DIR -u GIT_OBJECT_DIRECTORY -u GIT_INDEX_FILE ${real} gc -q --prune=now >>${bin}/gc.log 2>&1 || echo refused >>${bin}/gc.log ;; esac
exec ${real} "$@"
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return { ...env, PATH: `${bin}${delimiter}${env['PATH']}`, GC_LOG: join(bin, 'gc.log') };
}

it('a commit survives a gc that a person starts between its object and the branch', async () => {
  const { root, git, place, env } = repository();
  writeFileSync(join(root, 'b.txt'), 'b\n');
  const tree = (await takeTree(place))?.tree ?? '';
  const raced = gitWithGc(env, '*"-m ralph: land"*');
  const tip = git('rev-parse', 'HEAD').trim();
  const message = 'Work\n\nRalph-Session: s-1\n';
  const landing = { tip, tree, message, signing: null, onUnsigned: () => {} };
  const commit = await landCommit({ ...place, env: raced }, { ref: 'refs/heads/main' }, landing);
  expect(readFileSync(raced['GC_LOG'] ?? '', 'utf8')).toContain('refused');
  expect(git('rev-parse', 'HEAD').trim()).toBe(commit);
  expect(git('fsck', '--full')).not.toMatch(/missing|broken|invalid/);
});

it('unfinished work survives a gc that a person starts before a ref holds it', async () => {
  const { root, git, place, env } = repository();
  writeFileSync(join(root, 'b.txt'), 'b\n');
  const base = git('rev-parse', 'HEAD').trim();
  const gcs: (number | null)[] = [];
  const take = workTaker({
    repository: place,
    take: async () => {
      const tree = (await takeTree(place))?.tree ?? '';
      gcs.push(spawnSync('git', ['gc', '-q', '--prune=now'], { cwd: root, env }).status);
      return { base, tree };
    },
    onWork: async () => {},
  });
  const task = { id: 7, title: 'Seven', feature: null };
  await take({ session: { id: 's-1', base_commit: base }, task });
  // Git refuses.
  expect(gcs).toEqual([128]);
  expect(git('show', 'refs/ralph/work/s-1:b.txt')).toBe('b\n');
  expect(git('fsck', '--full')).not.toMatch(/missing|broken|invalid/);
});

it('gc works again as soon as the work is over, even if the work failed', async () => {
  const { git, place, lock } = repository();
  await expect(
    holdingOffGc(place, () =>
      holdingOffGc(place, async () => {
        expect(() => git('gc', '-q')).toThrow(/gc is already running/);
        throw new Error('failed');
      }),
    ),
  ).rejects.toThrow('failed');
  expect(existsSync(lock)).toBe(false);
  git('gc', '-q');
});

it('Ralph waits for a gc that is running', async () => {
  const { place, lock } = repository();
  const gc = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void gc.kill('SIGKILL'));
  writeFileSync(lock, `${gc.pid} ${hostname()}`);
  let isDone = false;
  const work = holdingOffGc(place, async () => {
    isDone = true;
    expect(readFileSync(lock, 'utf8')).toBe(`${process.pid} ${hostname()}`);
  });
  // Ten times as many looks at the disk as it takes to begin the work.
  for (let look = 0; look < 100; look++) await stat(lock);
  expect(isDone).toBe(false);
  gc.kill('SIGKILL');
  await once(gc, 'exit');
  await work;
  expect(isDone).toBe(true);
});

it('a killed process that had the pid of this one keeps it out no longer', async () => {
  const { place, lock } = repository();
  // As in a container that is started again: its first process always has the same pid.
  writeFileSync(lock, `${process.pid} ${hostname()}`);
  expect(await holdingOffGc(place, async () => 'done')).toBe('done');
  expect(existsSync(lock)).toBe(false);
});

it('an entry that is older than the process with its pid keeps no process out', async () => {
  const { place, lock } = repository();
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void other.kill('SIGKILL'));
  writeFileSync(lock, `${other.pid} ${hostname()}`);
  const before = new Date(Date.now() - 60_000);
  utimesSync(lock, before, before);
  expect(await holdingOffGc(place, async () => 'done')).toBe('done');
});

it('a dead holder of the gc lock keeps no process out', async () => {
  const { place, lock } = repository();
  const dead = spawnSync('true').pid;
  writeFileSync(lock, `${dead} ${hostname()}`);
  expect(await holdingOffGc(place, async () => 'done')).toBe('done');
  expect(existsSync(lock)).toBe(false);
});
