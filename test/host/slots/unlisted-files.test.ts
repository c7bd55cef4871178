// The folders in which Ralph looks for what git does not list.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldersIn } from '../../../src/host/slots/unlisted-files.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';
import { tries } from '../../support/tries.ts';

const names = fc.constantFrom('a', 'b', '.ralph', 'ä');
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => [...parts, 'f.txt'].join('/'));

/** A tree with these files, as Ralph writes one: its objects are files of their own. */
function makeTree(repository: TestRepository, files: readonly string[]): string {
  repository.git('rm', '-rq', '--cached', '--ignore-unmatch', '.');
  for (const path of files) repository.write(path, 'text\n');
  repository.git('add', ...files);
  return repository.git('write-tree');
}

it('the folders of a tree are those that git lists, whichever tree was listed before', async () => {
  const repository = await slotRepository();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uniqueArray(paths, { minLength: 1, maxLength: 4 })), async (trees) => {
      for (const files of trees) {
        const tree = makeTree(repository, files);
        const listed = repository.git('-c', 'core.quotePath=false', 'ls-tree', '-rd', '--name-only', tree);
        const folders = await foldersIn(repository.place, tree);
        const found = folders.map((path) => Buffer.from(path, 'latin1').toString());
        expect(found.sort()).toEqual(listed.split('\n').sort());
      }
    }),
    { numRuns: tries(6) },
  );
});

it('a folder comes after the folder that it is in, also if both are new', async () => {
  const repository = await slotRepository();
  await foldersIn(repository.place, makeTree(repository, ['a/f.txt']));
  const folders = await foldersIn(repository.place, makeTree(repository, ['a/f.txt', 'x/y/z/f.txt']));
  expect(folders).toEqual(['a', 'x', 'x/y', 'x/y/z']);
});
