// The definition files of a commit, as files that can be read like those of a checkout.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { git } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { newScratchFile, type Place, scratchFolder } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { objectReader } from '../git/read-objects.ts';

const FILE = '100';

/** Puts what the commit has below `.ralph` of the project into a folder of its own while `work` runs. Links are left out. */
export async function withCommittedFiles<T>(
  place: Place,
  commit: string,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const below = relative(findGit(place.root)?.worktree ?? place.root, place.root)
    .split(sep)
    .join('/');
  const prefix = below === '' ? '' : `${below}/`;
  const { stdout } = await git(place, [
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    commit,
    '--',
    `${prefix}.ralph/`,
  ]);
  const files = stdout
    .split('\0')
    .slice(0, -1)
    .flatMap((entry) => {
      const [facts = '', path = ''] = entry.split('\t');
      const [mode = '', , hash = ''] = facts.split(' ');
      const name = pathText(path).slice(prefix.length);
      return mode.startsWith(FILE) && /\.ya?ml$/.test(name) ? [{ name, hash }] : [];
    });
  const read = await objectReader(
    place,
    files.map(({ hash }) => hash),
  );
  const folder = await newScratchFile(scratchFolder(place));
  try {
    await mkdir(join(folder, '.ralph'), { recursive: true });
    for (const { name, hash } of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), await read(hash));
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
