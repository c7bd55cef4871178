import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FileChange } from '../../../src/domain/context.ts';
import { commitChanges, treeChanges } from '../../../src/host/git/diff.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { tempDir } from '../../support/temp.ts';

/** A project in a folder of its repository, and what a change to it looks like. */
async function repository() {
  const folder = tempDir();
  const top = join(folder, 'repository');
  const root = join(top, 'shop');
  mkdirSync(root, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8' }).trim();
  const write = (name: string | Buffer, text: string | Buffer) =>
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name)]), text);
  git('init', '-q', top);
  write('old.txt', 'old\n');
  write('run.sh', 'x\n');
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'First');
  const place = { root, env, stateDir: join(top, '.git/ralph') };
  const tree = async (): Promise<string> => (await takeTree(place))?.tree ?? '';
  const before = await tree();
  const changes = async () => {
    const found = (await treeChanges(place, before, await tree())) ?? [];
    return new Map(found.map(({ path, ...change }) => [path, change]));
  };
  return { top, root, git, write, place, changes };
}

it('every changed file has its own diff, by its path in the project, whatever its name', async () => {
  const { root, write, changes } = await repository();
  const names = ['a b', 'b b/b', 'ü "q" \t.txt', ' b/x', 'two\nlines'];
  mkdirSync(join(root, 'b b'));
  mkdirSync(join(root, ' b'));
  for (const [index, name] of names.entries()) write(name, `the file ${index}\n`);
  write(Buffer.from([0xff, 0x2e]), 'x\n');
  const found = await changes();
  for (const name of names) expect(found.get(name)?.kind).toBe('added');
  for (const [index, name] of names.entries())
    expect(textOf(found, name)).toMatch(new RegExp(`^diff --git .*\\n\\+the file ${index}\\n$`, 's'));
  expect(textOf(found, 'a b')).toContain('+++ b/a b\t\n');
  const unusual = { kind: 'added', diff: { kind: 'withheld', reason: 'unusual name' } };
  expect(found.get('\ufffd.')).toEqual(unusual);
});

it('no line of a file begins the diff of another, and no attribute hides a text', async () => {
  const { root, write, changes } = await repository();
  write('.gitattributes', '* -diff binary\n');
  write('a.txt', 'one\rdiff --git a/z.txt b/z.txt\r\ndiff --git a/z.txt b/z.txt\n');
  write('z.txt', 'the last\n');
  rmSync(join(root, 'old.txt'));
  symlinkSync('/etc/passwd', join(root, 'old.txt'));
  chmodSync(join(root, 'run.sh'), 0o755);
  const found = await changes();
  expect(textOf(found, 'a.txt')).toContain('\n+diff --git a/z.txt b/z.txt\n');
  expect(textOf(found, 'z.txt')).toMatch(/^diff --git .*\n\+the last\n$/s);
  expect(textOf(found, 'old.txt')).toMatch(/-old\n.*\+\/etc\/passwd\n/s);
  expect(textOf(found, 'run.sh')).toContain('new mode 100755');
});

it('large and binary files are named without their text, and a lost tree is unknown', async () => {
  const { git, write, place, changes } = await repository();
  write('large.txt', 'x\n'.repeat(600_000));
  write('wide.txt', 'x'.repeat(300_000));
  write('image.png', Buffer.from([1, 0, 2]));
  write('small.txt', 'x\n');
  const found = await changes();
  const reasons = [...found].map(([path, { diff }]) => [path, diff.kind === 'text' ? 'shown' : diff.reason]);
  expect(Object.fromEntries(reasons)).toEqual({
    'image.png': 'binary',
    'large.txt': 'too long',
    'small.txt': 'shown',
    'wide.txt': 'too long',
  });
  expect(await treeChanges(place, 'a'.repeat(40), 'b'.repeat(40))).toBeNull();
  const commit = git('rev-parse', 'HEAD');
  expect(await commitChanges(place, commit)).toMatchObject([
    { path: 'old.txt', kind: 'added' },
    { path: 'run.sh' },
  ]);
  expect(await commitChanges(place, 'a'.repeat(40))).toBeNull();
});

type Found = ReadonlyMap<string, Pick<FileChange, 'kind' | 'diff'>>;

function textOf(found: Found, path: string): string {
  const diff = found.get(path)?.diff;
  return diff?.kind === 'text' ? diff.text : '';
}
