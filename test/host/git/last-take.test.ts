import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { adoptSettings, type Place } from '../../../src/host/git/own-git.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { countingGit } from '../../support/counting-git.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';
import { tries } from '../../support/tries.ts';

const take = async (place: Place, known?: string): Promise<string> =>
  (await takeTree(place, known))?.tree ?? '';

/** By a Ralph that remembers nothing of this checkout. */
const takeAnew = ({ folder, place }: TestRepository, known?: string): Promise<string> =>
  take({ ...place, stateDir: join(folder, crypto.randomUUID()) }, known);

type Step = { file: string; content: string | null; kind: 'file' | 'program' | 'link' };

const steps = fc.array(
  fc.record<Step>({
    file: fc.constantFrom('a', 'src/app.js', 'src', 'src/deep/c', 'out/log', '.gitignore', 'src/.gitignore'),
    content: fc.constantFrom(null, '', 'out/\n', 'one\n', 'a\napp.js\n'),
    kind: fc.constantFrom('file', 'file', 'program', 'link'),
  }),
  { minLength: 2, maxLength: 4 },
);

function apply(root: string, { file, content, kind }: Step): void {
  const path = join(root, file);
  // A file or a link in the place of its folder makes way.
  for (let at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1)) {
    const above = join(root, file.slice(0, at));
    if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(above, { force: true });
  }
  rmSync(path, { recursive: true, force: true });
  if (content === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (kind === 'link') symlinkSync(content || 'nowhere', path);
  else writeFileSync(path, content, { mode: kind === 'program' ? 0o755 : 0o644 });
}

it('a tree that Ralph takes again is the tree that it would take for the first time', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const repository = await slotRepository();
      const { root, place } = repository;
      for (const step of all) {
        await take(place);
        apply(root, step);
        expect(await take(place)).toBe(await takeAnew(repository));
      }
    }),
    {
      numRuns: tries(8),
      examples: [
        // A file of the commit goes, and comes back when .gitignore names it.
        [
          [
            { file: 'src', content: null, kind: 'file' },
            { file: '.gitignore', content: 'a\napp.js\n', kind: 'file' },
            { file: 'src/app.js', content: 'out/\n', kind: 'file' },
          ],
        ],
      ],
    },
  );
});

it('taking an unchanged checkout again takes git one process, and a changed one three', async () => {
  const { place, root } = await slotRepository();
  const counting = countingGit();
  const own = { ...place, env: { ...place.env, PATH: counting.PATH } };
  writeFileSync(join(root, 'new.txt'), 'new\n');
  const first = await take(own);
  counting.calls();
  expect(await take(own)).toBe(first);
  expect(counting.calls()).toEqual(['ls-files']);
  writeFileSync(join(root, 'new.txt'), 'newer\n');
  expect(await take(own, first)).not.toBe(first);
  expect(counting.calls()).toEqual(['ls-files', 'update-index', 'write-tree']);
  await adoptSettings(own);
  expect(counting.calls()).toEqual(['ls-files']);
});

it('a tree that git gc has removed is written again', async () => {
  const { place, root, git } = await slotRepository();
  writeFileSync(join(root, 'new.txt'), 'new\n');
  const tree = await take(place);
  git('gc', '-q', '--prune=now');
  expect(await take(place)).toBe(tree);
  expect(git('ls-tree', '--name-only', tree)).toContain('new.txt');
});

it('a file that the person has begun to ignore leaves the tree', async () => {
  const repository = await slotRepository();
  const { place, root, top } = repository;
  writeFileSync(join(root, 'secret.txt'), 'mine\n');
  await take(place);
  writeFileSync(join(top, '.git/info/exclude'), 'secret.txt\n');
  await adoptSettings(place);
  expect(await take(place)).toBe(await takeAnew(repository));
});

it('a file of a known tree stays, though .gitignore names it by now', async () => {
  const repository = await slotRepository();
  const { place, root, git } = repository;
  writeFileSync(join(root, 'made.txt'), 'made\n');
  const before = await take(place);
  writeFileSync(join(root, '.gitignore'), 'made.txt\n');
  const after = await take(place, before);
  expect(git('ls-tree', '--name-only', after)).toContain('made.txt');
  expect(await take(place)).toBe(await takeAnew(repository));
});
