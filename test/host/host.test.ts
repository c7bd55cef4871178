import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { commandLine, remoteLine } from '../../src/domain/trust.ts';
import { findGit } from '../../src/host/git/git-directory.ts';
import { findExecutable, whyNoCommand } from '../../src/host/processes/find-executable.ts';
import { identify, isAlive } from '../../src/host/processes/process-identity.ts';
import { isTrusted, trust, trustValue } from '../../src/host/trust.ts';
import { tempDir } from '../support/temp.ts';

it('Ralph tells a living process from a dead one, and from another that got its number', async () => {
  const child = spawn('cat', { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, process_started: 'earlier' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
});

it('Ralph finds the common git directory of a repository, a work tree and a submodule', () => {
  const root = tempDir();
  for (const folder of ['repo/.git/worktrees/w', 'repo/src/deep', 'w', 'repo/.git/modules/m', 'repo/m']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const folder of ['repo/.git', 'repo/.git/worktrees/w', 'repo/.git/modules/m']) {
    writeFileSync(join(root, folder, 'HEAD'), 'ref: refs/heads/main\n');
  }
  writeFileSync(join(root, 'repo/.git/worktrees/w/commondir'), '../..\n');
  writeFileSync(join(root, 'w/.git'), `gitdir: ${join(root, 'repo/.git/worktrees/w')}\n`);
  writeFileSync(join(root, 'repo/m/.git'), 'gitdir: ../.git/modules/m\n');
  expect(findGit(join(root, 'repo/src/deep'))).toEqual({
    worktree: join(root, 'repo'),
    gitDir: join(root, 'repo/.git'),
    commonDir: join(root, 'repo/.git'),
  });
  expect(findGit(join(root, 'w'))).toEqual({
    worktree: join(root, 'w'),
    gitDir: join(root, 'repo/.git/worktrees/w'),
    commonDir: join(root, 'repo/.git'),
  });
  expect(findGit(join(root, 'repo/m'))).toEqual({
    worktree: join(root, 'repo/m'),
    gitDir: join(root, 'repo/.git/modules/m'),
    commonDir: join(root, 'repo/.git/modules/m'),
  });
});

it('Ralph refuses a .git file that points at no git directory', () => {
  const root = tempDir();
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, '.git'), `gitdir: ${join(root, 'elsewhere')}\n`);
  expect(() => findGit(root)).toThrow(/is no git directory/);
});

it('a zombie process counts as dead', async () => {
  // The shell starts a child, says its number, and does not ask for it.
  const shell = spawn('bash', ['-c', 'true & echo $!; exec cat'], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [line] = await once(shell.stdout, 'data');
  const pid = Number(String(line));
  await vi.waitFor(() => expect(isAlive({ pid, process_started: null })).toBe(false));
  shell.kill('SIGKILL');
  await once(shell, 'exit');
});

it('Ralph finds an executable only by absolute entries of PATH: the repository controls relative ones', () => {
  const root = tempDir();
  writeFileSync(join(root, 'claude'), '#!/bin/sh\n');
  chmodSync(join(root, 'claude'), 0o755);
  expect(findExecutable('claude', root)).toBe(join(root, 'claude'));
  expect(findExecutable('claude', '.:bin')).toBeNull();
  expect(findExecutable('claude', undefined)).toBeNull();
});

it('Ralph tells a missing program from a file that is not executable', () => {
  const root = tempDir();
  writeFileSync(join(root, 'codex'), '#!/bin/sh\n');
  expect(whyNoCommand('codex', '/', root)).toBe(`${join(root, 'codex')} is not executable`);
  expect(whyNoCommand('./codex', root, undefined)).toBe(`${join(root, 'codex')} is not executable`);
  expect(whyNoCommand('claude', '/', root)).toBe('ENOENT');
  chmodSync(join(root, 'codex'), 0o755);
  expect([whyNoCommand('codex', '/', root), whyNoCommand('./codex', root, '')]).toEqual([null, null]);
});

it('the trust lines show a shell line and an argument list differently', () => {
  expect(commandLine('echo "$(x)"')).not.toBe(commandLine(['echo', '$(x)']));
});

it('Ralph trusts exactly the commands that a person agreed to, in exactly that project', async () => {
  const home = tempDir();
  await trust(home, '/a', ['gate test: npm test'], { now: 0, isBesideRun: false });
  expect(await isTrusted(home, '/a', ['gate test: npm test'])).toBe(true);
  expect(await isTrusted(home, '/a', ['gate test: npm test', 'agent x: ./x'])).toBe(false);
  expect(await isTrusted(home, '/b', ['gate test: npm test'])).toBe(false);
  expect(await isTrusted(home, '/b', [])).toBe(true);
});

it('commands that name their repository are trusted in each of its clones, and no others', async () => {
  const home = tempDir();
  const lines = ['gate test: npm test', remoteLine({ branch: 'main', url: 'git@example.com:a/b.git' })];
  await trust(home, '/a', lines, { now: 0, isBesideRun: false, isShared: true });
  const elsewhere = ['gate test: npm test', remoteLine({ branch: 'main', url: 'https://t@example.com/a/b' })];
  expect(await isTrusted(home, '/b', elsewhere, { isShared: true })).toBe(true);
  expect(await isTrusted(home, '/b', lines)).toBe(false);
  const other = ['gate test: npm test', remoteLine({ branch: 'main', url: 'https://example.com/a/c' })];
  expect(await isTrusted(home, '/b', other, { isShared: true })).toBe(false);
  expect(trustValue(elsewhere)).toBe(trustValue(lines));
});
