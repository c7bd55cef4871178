import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removePartialObjects, removeStaleLocks } from '../../../src/host/git/stale-lock.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const folder = tempDir();
  const root = join(folder, 'project');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'], HOME: folder };
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root, env });
  const lock = (name: string, mtimeMs = Date.now()): string => {
    const path = join(root, '.git', `${name}.lock`);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'a part');
    utimesSync(path, mtimeMs / 1_000, mtimeMs / 1_000);
    return path;
  };
  return { root, env, lock };
}

describe('a lock that a killed git left', () => {
  it('Ralph removes a stale lock of everything that it writes to', async () => {
    const { lock, ...git } = repository();
    const began = Date.now();
    const left = [
      'index',
      'HEAD',
      'refs/heads/main',
      'refs/ralph/task-7',
      'refs/ralph/base/7',
      'refs/ralph/proven/7',
      'refs/ralph/left/7',
      'refs/ralph/pull/task-7',
    ].map((name) => lock(name));
    expect((await removeStaleLocks(git, began)).sort()).toEqual(left.sort());
    expect(left.filter((path) => existsSync(path))).toEqual([]);
  });

  it('Ralph removes stale locks together with partial objects', async () => {
    const { root } = repository();
    const began = Date.now();
    const part = join(root, '.git/objects/ab/tmp_obj_x1');
    mkdirSync(dirname(part), { recursive: true });
    writeFileSync(part, 'a part');
    expect(await removePartialObjects({ root }, began)).toEqual([part]);
    expect(existsSync(part)).toBe(false);
  });

  it('a lock that is older than the dead run stays', async () => {
    const { lock, ...git } = repository();
    const path = lock('index', Date.now() - 60_000);
    expect(await removeStaleLocks(git, Date.now())).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  it('a lock stays while a git works here, even in a subfolder or waiting for an editor', async () => {
    const { lock, ...git } = repository();
    const inside = join(git.root, 'deep/er');
    mkdirSync(inside, { recursive: true });
    const began = Date.now();
    // Waits on its standard input, as one does that waits for a person.
    const person = spawn('git', ['hash-object', '--stdin'], { cwd: inside, env: git.env });
    onTestFinished(() => void person.kill('SIGKILL'));
    await once(person, 'spawn');
    const path = lock('index');
    expect(await removeStaleLocks(git, began)).toEqual([]);
    person.stdin.end();
    await once(person, 'exit');
    expect(await removeStaleLocks(git, began)).toEqual([path]);
  });

  it('Ralph looks for locks in the git directory of a linked work tree', async () => {
    const { root, env } = repository();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
    git(
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'First',
    );
    const other = join(root, '../other');
    git('worktree', 'add', '-q', other);
    const path = join(root, '.git/worktrees/other/index.lock');
    writeFileSync(path, '');
    expect(await removeStaleLocks({ root }, 0)).toEqual([]);
    // They share references, so a git in the one may hold a lock of the other.
    const person = spawn('git', ['hash-object', '--stdin'], { cwd: root, env });
    onTestFinished(() => void person.kill('SIGKILL'));
    await once(person, 'spawn');
    expect(await removeStaleLocks({ root: other }, 0)).toEqual([]);
    person.stdin.end();
    await once(person, 'exit');
    expect(await removeStaleLocks({ root: other }, 0)).toEqual([path]);
  });

  it('Ralph finds no stale lock without git', async () => {
    const root = tempDir();
    expect(await removeStaleLocks({ root }, 0)).toEqual([]);
  });
});
