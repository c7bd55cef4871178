// What Ralph reads and writes in git without git: git has to agree with all of it.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RALPH } from '../../../src/host/commits/identity.ts';
import { makeCommitObject } from '../../../src/host/git/commit-object.ts';
import { git } from '../../../src/host/git/git.ts';
import { readLooseObjects } from '../../../src/host/git/loose-objects.ts';
import { holdCommit, workRef } from '../../../src/host/git/refs.ts';
import { compareLooseTrees, parseChanges } from '../../../src/host/git/tree-changes.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';

const objectFile = ({ top }: TestRepository, hash: string): string =>
  join(top, '.git/objects', hash.slice(0, 2), hash.slice(2));

/** The tree of these paths; a content may be that of a file, a program or a link. */
async function treeOf(one: TestRepository, files: Readonly<Record<string, string>>): Promise<string> {
  const entries = Object.entries(files).map(([path, content]) => {
    const blob = one.git('hash-object', '-w', '--', pathWith(one, content));
    return `${MODES[content.charAt(0)] ?? '100644'} ${blob}\t${path}\0`;
  });
  const own = { ...one.place, overrides: { GIT_INDEX_FILE: join(one.folder, 'tree.index') } };
  await git(own, ['read-tree', '--empty']);
  await git(own, ['update-index', '-z', '--index-info'], { input: entries.join('') });
  return (await git(own, ['write-tree'])).stdout.trim();
}

const MODES: Readonly<Record<string, string>> = { x: '100755', l: '120000' };

function pathWith({ folder }: TestRepository, content: string): string {
  writeFileSync(join(folder, 'content'), content);
  return join(folder, 'content');
}

const commit = (one: TestRepository, message: string): Promise<string> => {
  const [tree, parent] = one.git('rev-parse', 'HEAD^{tree}', 'HEAD').split('\n');
  const place = { ...one.place, env: { ...one.place.env, ...RALPH } };
  return makeCommitObject(place, { tree: tree ?? '', parents: [parent ?? ''], message });
};

describe.each([{ init: [] }, { init: ['--object-format=sha256'] }])('with git init $init', ({ init }) => {
  it('two trees differ for Ralph exactly as they do for git', async () => {
    const one = await slotRepository({ init });
    const name = fc.constantFrom('a', 'a.b', 'a-', 'b', '\u00e9', '.ralph');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const files = fc.dictionary(path, fc.constantFrom('one', 'two', 'x', 'l'), { maxKeys: 6 });
    // No path is both a file and a folder, and git stores no empty tree.
    const trees = files.map((all) =>
      Object.fromEntries([
        ['same', 'one'],
        ...Object.entries(all).filter(
          ([own]) => !Object.keys(all).some((other) => other.startsWith(`${own}/`)),
        ),
      ]),
    );
    const compare = async (before: Record<string, string>, after: Record<string, string>): Promise<void> => {
      const [from, to] = [await treeOf(one, before), await treeOf(one, after)];
      const told = await git(one.place, ['diff-tree', '-r', '-z', '--no-renames', from, to]);
      expect(compareLooseTrees(one.place, from, to)).toEqual(parseChanges(told.stdout));
    };
    await fc.assert(fc.asyncProperty(trees, trees, compare), {
      numRuns: 15,
      examples: [
        [
          { a: 'one', 'a.b': 'one' },
          { 'a/b': 'one', 'a.b': 'two' },
        ],
      ],
    });
  });

  it('a commit that Ralph writes is a sound object for git, with the same text', async () => {
    const one = await slotRepository({ init });
    const made = await commit(one, 'Build it\n\nRalph-Task: 7');
    expect(existsSync(objectFile(one, made))).toBe(true);
    expect(one.git('fsck', '--strict', '--no-dangling', made)).toBe('');
    expect(one.git('log', '-1', '--format=%an %ae %cn %P %B', made).trim()).toBe(
      `Ralph ralph@localhost Ralph ${one.git('rev-parse', 'HEAD')} Build it\n\nRalph-Task: 7`,
    );
  });
});

it('a commit by a name that git would clean is made by git', async () => {
  const one = await slotRepository();
  const tree = one.git('rev-parse', 'HEAD^{tree}');
  const env = { ...one.place.env, ...RALPH, GIT_AUTHOR_NAME: ' "A. <Person>." ' };
  const made = await makeCommitObject({ ...one.place, env }, { tree, parents: [], message: 'Build' });
  expect(one.git('log', '-1', '--format=%an', made)).toBe('A. Person');
});

it('a repository that a group writes to gets its commits from git', async () => {
  const one = await slotRepository();
  one.git('config', 'core.sharedRepository', 'group');
  chmodSync(join(one.top, '.git/objects'), 0o2775);
  const made = await commit(one, 'Build');
  expect(one.git('cat-file', '-t', made)).toBe('commit');
});

it('an object whose content is not what its name says is not read', async () => {
  const one = await slotRepository();
  const [first, second] = ['one', 'two'].map((text) => one.git('hash-object', '-w', pathWith(one, text)));
  expect(
    readLooseObjects(one.place, 'blob', [first ?? ''])
      ?.get(first ?? '')
      ?.toString(),
  ).toBe('one');
  rmSync(objectFile(one, first ?? ''));
  writeFileSync(objectFile(one, first ?? ''), readFileSync(objectFile(one, second ?? '')));
  expect(readLooseObjects(one.place, 'blob', [first ?? ''])).toBeNull();
});

it('a damaged tree is left to git', async () => {
  const one = await slotRepository();
  // Nothing ends its names.
  writeFileSync(join(one.folder, 'content'), `100644 ${'a'.repeat(13)}100644 ${'b'.repeat(26)}`);
  const written = ['hash-object', '-w', '-t', 'tree', '--literally', join(one.folder, 'content')];
  const damaged = one.git(...written);
  expect(compareLooseTrees(one.place, damaged, one.git('rev-parse', 'HEAD^{tree}'))).toBeNull();
});

it('what git has packed is left to git', async () => {
  const one = await slotRepository();
  const blob = one.git('rev-parse', 'HEAD:src/app.js');
  expect(readLooseObjects(one.place, 'blob', [blob])).not.toBeNull();
  one.git('gc', '-q', '--prune=now');
  expect(readLooseObjects(one.place, 'blob', [blob])).toBeNull();
});

describe('a ref of Ralph that is set without git', () => {
  const ref = workRef(7);

  it('is there for git, on top of a packed one', async () => {
    const one = await slotRepository();
    const head = one.git('rev-parse', 'HEAD');
    await holdCommit(one.place, ref, head);
    one.git('pack-refs', '--all');
    const made = await commit(one, 'Next');
    await holdCommit(one.place, ref, made);
    expect(one.git('rev-parse', ref)).toBe(made);
    expect(existsSync(join(one.top, '.git', `${ref}.lock`))).toBe(false);
  });

  it('is left to git while another process has its lock', async () => {
    const one = await slotRepository();
    const lock = join(one.top, '.git', `${ref}.lock`);
    await holdCommit(one.place, ref, one.git('rev-parse', 'HEAD'));
    writeFileSync(lock, '');
    await expect(holdCommit(one.place, ref, await commit(one, 'Next'))).rejects.toThrow('update-ref');
    expect(existsSync(lock)).toBe(true);
    expect(one.git('rev-parse', ref)).toBe(one.git('rev-parse', 'HEAD'));
  });

  it('is refused by git if its commit is missing', async () => {
    const one = await slotRepository();
    await expect(holdCommit(one.place, ref, '1'.repeat(40))).rejects.toThrow('update-ref');
    expect(one.git('for-each-ref', ref)).toBe('');
  });

  it('is there for git where an empty folder had its name', async () => {
    const one = await slotRepository();
    mkdirSync(join(one.top, '.git', ref, 'empty'), { recursive: true });
    await holdCommit(one.place, ref, one.git('rev-parse', 'HEAD'));
    expect(one.git('rev-parse', ref)).toBe(one.git('rev-parse', 'HEAD'));
  });

  it.each([
    ['refs/ralph/candidate/merge-a', 'refs/ralph/candidate/merge-a/b'],
    ['refs/ralph/candidate/merge-a/b', 'refs/ralph/candidate/merge-a'],
  ])('is refused by git beside the packed %s if it is %s', async (packed, other) => {
    const one = await slotRepository();
    const head = one.git('rev-parse', 'HEAD');
    one.git('update-ref', packed, head);
    one.git('pack-refs', '--all');
    await expect(holdCommit(one.place, other, head)).rejects.toThrow('update-ref');
  });

  it('has the rights of a repository that a group writes to', async () => {
    const one = await slotRepository();
    one.git('config', 'core.sharedRepository', 'group');
    chmodSync(join(one.top, '.git/refs'), 0o2775);
    await holdCommit(one.place, ref, one.git('rev-parse', 'HEAD'));
    expect(statSync(join(one.top, '.git/refs/ralph')).mode & 0o020).toBe(0o020);
  });
});
