import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { leavesProject } from '../../files/own-file.ts';
import { findGit } from '../../host/git/git-directory.ts';

/** Excludes the file by .git/info/exclude; the project's .gitignore stays as it is. */
export async function keepFromGit(root: string, file: string): Promise<void> {
  const git = findGit(root);
  if (git === null) return;
  const exclude = join(git.commonDir, 'info', 'exclude');
  const path = [...relative(git.worktree, root).split(sep), ...file.split(sep)].filter(Boolean).join('/');
  // A folder's name may hold characters that are special in an exclude file.
  const line = `/${path.replace(/[[\]*?\\!# ]/g, '\\$&')}`;
  // The target of a link does not belong to this repository.
  if (leavesProject(git.commonDir, join('info', 'exclude'))) return;
  const current = await readFile(exclude, 'utf8').catch(() => '');
  if (current.split('\n').includes(line)) return;
  await mkdir(dirname(exclude), { recursive: true });
  await appendFile(exclude, `${current === '' || current.endsWith('\n') ? '' : '\n'}${line}\n`);
}
