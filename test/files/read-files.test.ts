import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namedFiles, readNamedFile } from '../../src/context/feature-files.ts';
import type { ContextFile } from '../../src/domain/context.ts';
import { readContextFiles } from '../../src/files/read-files.ts';
import { secretMatcher } from '../../src/files/secret-files.ts';
import { readStateFiles } from '../../src/project/state-files.ts';
import { tempDir } from '../support/temp.ts';

function project(files: Record<string, string | Buffer>): string {
  const root = join(tempDir(), 'project');
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function read(
  root: string,
  patterns: string[],
  secrets: string[] = [],
): Promise<Record<string, string>> {
  const files = await readContextFiles(root, [{ level: 'feature', patterns }], secretMatcher(secrets));
  return Object.fromEntries(files.map(({ path, content }) => [path, told(content)]));
}

const told = (content: ContextFile['content']): string =>
  content.kind === 'text'
    ? content.text
    : content.kind === 'missing'
      ? 'missing'
      : `withheld: ${content.reason}`;

it('context files come from files, directories and globs, each file once', async () => {
  const root = project({
    'docs/a.md': 'A',
    'docs/deep/b.md': 'B',
    'src/x.ts': 'X',
    'src/y.js': 'Y',
    'node_modules/z/index.ts': 'Z',
  });
  expect(await read(root, ['docs', 'docs/a.md', '**/*.ts'])).toEqual({
    'docs/a.md': 'A',
    'docs/deep/b.md': 'B',
    'src/x.ts': 'X',
  });
  expect(await read(root, ['./src/../src/x.ts'])).toEqual({ 'src/x.ts': 'X' });
});

it('a missing file and a glob that finds nothing each get a visible line', async () => {
  const root = project({ 'a.md': 'A' });
  expect(await read(root, ['b.md', '*.rs'])).toEqual({ 'b.md': 'missing', '*.rs': 'missing' });
});

it('Ralph never reads outside the project: not by dots, not by an absolute path, not through a link', async () => {
  const root = project({ 'in.md': 'inside' });
  writeFileSync(join(root, '../secret.md'), 'outside');
  symlinkSync('../secret.md', join(root, 'link.md'));
  symlinkSync('..', join(root, 'up'));
  symlinkSync('in.md', join(root, 'alias.md'));
  const found = await read(root, [
    '../secret.md',
    join(root, '../secret.md'),
    'link.md',
    'up/secret.md',
    'up',
    '**/*.md',
    'alias.md',
    '..',
    '../**',
  ]);
  expect(Object.values(found).join()).not.toContain('outside,');
  expect(found['link.md']).toBe('withheld: outside the project');
  expect(found['up/secret.md']).toBe('withheld: outside the project');
  expect(found['alias.md']).toBe('inside');
  expect(Object.values(found)).not.toContain('outside');
});

it('Ralph names but does not show binaries, large files, secrets and paths that are no file', async () => {
  const root = project({
    'image.png': Buffer.from([0x89, 0x50, 0x00, 0x01]),
    'huge.txt': 'x'.repeat(10 * 1024 * 1024),
    '.env': 'KEY=1',
    '.env.example': 'KEY=',
    'deploy/server.pem': 'key',
    'internal/plan.md': 'plan',
  });
  execFileSync('mkfifo', [join(root, 'pipe')]);
  expect(
    await read(
      root,
      ['image.png', 'huge.txt', '.env', '.env.example', 'deploy', 'pipe', 'internal/plan.md'],
      ['internal/**'],
    ),
  ).toEqual({
    'image.png': 'withheld: binary',
    'huge.txt': 'withheld: too large: 10240 KB',
    '.env': 'withheld: may hold secrets',
    '.env.example': 'KEY=',
    'deploy/server.pem': 'withheld: may hold secrets',
    pipe: 'withheld: not a regular file',
    'internal/plan.md': 'withheld: may hold secrets',
  });
});

it("the target of a link decides what is shown: a secret under another name, git's own files, notes that are a key", async () => {
  const root = project({ '.env': 'KEY=1', '.git/config': 'url = token', '.ralph/x': '' });
  writeFileSync(join(root, '../id_rsa'), 'private');
  symlinkSync('.env', join(root, 'notes.md'));
  symlinkSync(join(root, '../id_rsa'), join(root, '.ralph/CLAUDE.RALPH.md'));
  symlinkSync('../.env', join(root, '.ralph/progress.txt'));
  expect(await read(root, ['notes.md', '.git/config', 'x'.repeat(70_000)])).toEqual({
    'notes.md': 'withheld: may hold secrets',
    '.git/config': 'withheld: belongs to git',
    [`${'x'.repeat(60)}...`]: 'withheld: no path is that long',
  });
  expect(await readStateFiles(root)).toEqual({ notes: null, progress: null, learnings: null });
});

it('Ralph reads Latin-1 as text', async () => {
  const root = project({ 'old.txt': Buffer.from('caf\xe9', 'latin1') });
  expect(await read(root, ['old.txt'])).toEqual({ 'old.txt': 'café' });
});

it('the list of files stays bounded in a directory of 10,000 files', async () => {
  const root = project({});
  mkdirSync(join(root, 'many'));
  for (let index = 0; index < 10_000; index++) writeFileSync(join(root, 'many', `${index}.md`), 'x');
  const found = await read(root, ['many']);
  expect(Object.keys(found)).toHaveLength(201);
  expect(found['many']).toBe('withheld: 9800 more files');
});

it('the prompt keeps the newest part of a state file that grew too long', async () => {
  const root = project({
    '.ralph/progress.txt': Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join('\n'),
  });
  const { progress, notes } = await readStateFiles(root);
  expect(notes).toBeNull();
  expect(progress?.length).toBeLessThan(2_100);
  expect(progress).toMatch(/^\(earlier lines are left out\)\nline \d+\n/);
  expect(progress).toContain('line 4999');
});

it('Ralph reads each file that a pattern finds, whichever pattern found it', async () => {
  const root = project({ 'a.md': 'a', 'docs/b.md': 'b', 'docs/deep/c.txt': 'c', 'docs2/d.md': 'd' });
  symlinkSync('docs/deep', join(root, 'short'));
  const found: string[] = [];
  for (const pattern of [
    '.',
    './docs/',
    'docs/../a.md',
    '**/*.md',
    'docs/{b,x}.md',
    'short',
    join(root, 'docs2'),
  ])
    for (const { path } of await namedFiles(root, [pattern])) {
      const text = await readNamedFile(root, ['nothing', pattern], path, { isSecret: () => false });
      expect([pattern, path, text]).toEqual([pattern, path, path.replace(/.*(\w)\.\w+$/, '$1')]);
      found.push(path);
    }
  expect(found.length).toBe(13);
  expect(await readNamedFile(root, ['docs', '*.txt'], 'docs2/d.md', { isSecret: () => false })).toBe(null);
});
