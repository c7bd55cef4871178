// The folders in which Ralph looks for what git does not list.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldersIn } from '../../../src/host/slots/unlisted-files.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';
import { tries } from '../../support/tries.ts';

/** A file, a link or a submodule: what is a file in one tree may be a folder in the next. */
const MODES = ['100644', '120000', '160000'] as const;
type Entry = { path: string; mode: (typeof MODES)[number] };

const paths = fc
  .array(fc.constantFrom('a', 'b', '.ralph', 'ä'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const trees = fc.uniqueArray(fc.record({ path: paths, mode: fc.constantFrom(...MODES) }), {
  selector: ({ path }) => path,
  maxLength: 4,
});

/** As Ralph writes a tree: its objects are files of their own. Of a file and a folder of one name the later one stays. */
function makeTree({ git }: TestRepository, entries: readonly Entry[]): string {
  git('read-tree', '--empty');
  const hashes = { '100644': git('rev-parse', 'HEAD:lib/tool.js'), '160000': git('rev-parse', 'HEAD') };
  for (const { path, mode } of entries) {
    const hash = hashes[mode === '160000' ? mode : '100644'];
    git('update-index', '--add', '--replace', '--cacheinfo', `${mode},${hash},${path}`);
  }
  return git('write-tree');
}

it('the folders of a tree are those that git lists, whichever tree was listed before', async () => {
  const repository = await slotRepository();
  await fc.assert(
    fc.asyncProperty(fc.array(trees, { minLength: 2, maxLength: 6 }), async (all) => {
      for (const entries of all) {
        const tree = makeTree(repository, entries);
        const listed = repository.git('-c', 'core.quotePath=false', 'ls-tree', '-rd', '--name-only', tree);
        const folders = await foldersIn(repository.place, tree);
        const found = folders.map((path) => Buffer.from(path, 'latin1').toString());
        expect(found.sort()).toEqual(listed.split('\n').filter(Boolean).sort());
      }
    }),
    { numRuns: tries(12) },
  );
});

it('a folder comes after the folder that it is in, also if both are new', async () => {
  const repository = await slotRepository();
  const file = (path: string): Entry => ({ path, mode: '100644' });
  await foldersIn(repository.place, makeTree(repository, [file('a/f')]));
  const folders = await foldersIn(repository.place, makeTree(repository, [file('a/f'), file('x/y/z/f')]));
  expect(folders).toEqual(['a', 'x', 'x/y', 'x/y/z']);
});
