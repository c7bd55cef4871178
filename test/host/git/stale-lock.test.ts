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
  it('is removed, whatever of the things that Ralph writes to it is for', async () => {
    const { lock, ...git } = repository();
    const began = Date.now();
    const left = [
      'index',
      'HEAD',
      'refs/heads/main',
      'refs/ralph/task-7',
      'refs/ralph/base/7',
      'refs/ralph/proven/7',
    ].map((name) => lock(name));
    expect((await removeStaleLocks(git, began)).sort()).toEqual(left.sort());
    expect(left.filter((path) => existsSync(path))).toEqual([]);
  });

  it('goes together with the parts of objects that were never finished', async () => {
    const { root } = repository();
    const began = Date.now();
    const part = join(root, '.git/objects/ab/tmp_obj_x1');
    mkdirSync(dirname(part), { recursive: true });
    writeFileSync(part, 'a part');
    expect(await removePartialObjects({ root }, began)).toEqual([part]);
    expect(existsSync(part)).toBe(false);
  });

  it('stays when it was there before the run that died', async () => {
    const { lock, ...git } = repository();
    const path = lock('index', Date.now() - 60_000);
    expect(await removeStaleLocks(git, Date.now())).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  it('stays while a git is at work here, be it in a folder of the project or in front of an editor', async () => {
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

  it('is looked for where the work tree has its own index', async () => {
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

  it('is none where there is no git', async () => {
    const root = tempDir();
    expect(await removeStaleLocks({ root }, 0)).toEqual([]);
  });
});
