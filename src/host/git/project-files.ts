import { relative, sep } from 'node:path';
import { git, headCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { type Place, withHeadIndex } from './own-git.ts';
import { isRalphs, pathText, rawPath } from './raw-path.ts';

/** The files of the project as git sees them, without ignored ones and Ralph's own. Null without git. */
export async function projectFiles(place: Place): Promise<string[] | null> {
  const found = findGit(place.root);
  if (found === null) return null;
  const below = relative(found.worktree, place.root).split(sep).join('/');
  const { stdout } = await withHeadIndex(place, await headCommit(place), (own) =>
    git(own, [
      'ls-files',
      '-z',
      '-t',
      '--cached',
      '--others',
      '--deleted',
      '--exclude-standard',
      ...(below === '' ? [] : ['--', `:(top,literal)${below}`]),
    ]),
  );
  // Each as a letter, a space and the path; a removed file is listed a second time, as `R`.
  const listed = stdout.split('\0').slice(0, -1);
  const removed = new Set(listed.filter((entry) => entry.startsWith('R ')).map((entry) => entry.slice(2)));
  const start = below === '' ? 0 : rawPath(`${below}/`).length;
  const paths = [...new Set(listed.map((entry) => entry.slice(2)))];
  return paths
    .filter((path) => !removed.has(path) && !isRalphs(path))
    .map((path) => pathText(path.slice(start)));
}
