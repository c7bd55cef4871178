import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changesBetween } from '../../../src/host/git/tree-changes.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { isWorkChanged } from '../../../src/host/work/changed-work.ts';
import { noteWrittenElsewhere, noteWrittenMeanwhile } from '../../../src/host/work/written-elsewhere.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const folder = tempDir();
  const root = join(folder, 'project');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  git('init', '-q');
  write('tracked.txt', 'old\n');
  write('.gitignore', 'ignored.log\n');
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-qm', 'First');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  const tree = async () => (await takeTree(place))?.tree ?? '';
  /** Open for writing until the test closes it, or ends. */
  const hold = (path: string): (() => void) => {
    const file = openSync(join(root, path), 'a');
    let isOpen = true;
    const close = () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    };
    onTestFinished(close);
    return close;
  };
  return { place, root, write, tree, hold };
}

describe('an untracked file that a process has open for writing', () => {
  it('a file that a process is writing is in no tree, and tracked or ignored files are not affected', async () => {
    const { place, write, tree, hold } = repository();
    const before = await tree();
    for (const path of ['run.log', 'ignored.log', 'tracked.txt']) hold(path);
    write('run.log', 'one\n');
    write('tracked.txt', 'new\n');
    expect(await noteWrittenElsewhere(place, new Set())).toEqual({ files: ['run.log'], isChanged: true });
    expect(await noteWrittenElsewhere(place, new Set())).toEqual({ files: ['run.log'], isChanged: false });
    const changes = await changesBetween(place, before, await tree());
    expect(changes.map(({ path }) => path)).toEqual(['tracked.txt']);
  });

  it('a file that is closed during a session stays out of its work, and is an ordinary file for the next', async () => {
    const { place, tree, hold } = repository();
    const close = hold('run.log');
    await noteWrittenElsewhere(place, new Set());
    const base = await tree();
    close();
    expect(await noteWrittenMeanwhile(place, new Set(), { base, files: [] })).toMatchObject({
      isChanged: false,
    });
    expect(await tree()).toBe(base);
    expect(await noteWrittenElsewhere(place, new Set())).toEqual({ files: [], isChanged: true });
    expect(await tree()).not.toBe(base);
  });

  it('after a session Ralph checks processes that started since', async () => {
    const { place, root, tree } = repository();
    const seen = new Set<string>();
    await noteWrittenElsewhere(place, seen);
    const base = await tree();
    const child = spawn('sh', ['-c', 'echo up; exec sleep 600'], {
      stdio: ['ignore', openSync(join(root, 'dev.log'), 'a'), 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const look = () => noteWrittenMeanwhile(place, seen, { base, files: [] });
    expect(await look()).toEqual({ files: ['dev.log'], isChanged: true });
    expect(await look()).toEqual({ files: ['dev.log'], isChanged: false });
  });

  it('Ralph checks a known process again if it works in the project', async () => {
    const { place, root, tree } = repository();
    const child = spawn('sh', ['-c', 'read line; exec > dev.log; echo open >&2; read line'], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const seen = new Set<string>();
    await noteWrittenElsewhere(place, seen);
    const base = await tree();
    child.stdin.write('\n');
    await once(child.stderr, 'data');
    expect(await noteWrittenMeanwhile(place, seen, { base, files: [] })).toMatchObject({
      files: ['dev.log'],
    });
  });

  it("a file that the session had before, or wrote with its own tools, is the session's work", async () => {
    const { place, root, write, tree, hold } = repository();
    write('early.txt', 'early\n');
    const base = await tree();
    for (const path of ['early.txt', 'own.txt', 'dev.log']) hold(path);
    const { files } = await noteWrittenMeanwhile(place, new Set(), { base, files: [join(root, 'own.txt')] });
    expect(files).toEqual(['dev.log']);
  });
});

describe('a work tree', () => {
  const NAMELESS = { files: [], unnamed: false };

  it('the work tree has changed with any tracked file, and with an untracked one only if the session may have written it', async () => {
    const { place, root, write, tree } = repository();
    const before = await tree();
    write('cache.bin', 'x');
    const after = await tree();
    expect(await isWorkChanged(place, before, after, NAMELESS)).toBe(false);
    expect(await isWorkChanged(place, after, before, NAMELESS)).toBe(false);
    expect(await isWorkChanged(place, before, after, { files: [], unnamed: true })).toBe(true);
    const files = [join(root, 'cache.bin')];
    expect(await isWorkChanged(place, before, after, { files, unnamed: false })).toBe(true);
    write('tracked.txt', 'new\n');
    expect(await isWorkChanged(place, after, await tree(), NAMELESS)).toBe(true);
  });
});
