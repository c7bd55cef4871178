// Work that no commit of Ralph's can hold: a person decides about it before anything is proven.
import { NeedsPerson } from '../../domain/refusal.ts';
import { git } from '../git/git.ts';
import { type Place, withEmptyIndex } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, isRepositoryLink } from '../git/tree-changes.ts';
import { type LeftOut, MAX_FILE_MB, type TakenTree } from '../git/work-tree.ts';
import { allEnded } from '../processes/all-ended.ts';

/** Asks about files that a tree cannot hold: without them the proof would not hold in a clone. */
export function requireCommittable(
  task_id: number,
  /** As the session found them. */
  submodules: TakenTree['submodules'],
  now: TakenTree,
): void {
  const [found] = now.left_out;
  if (found !== undefined)
    throw new NeedsPerson(
      `Task ${task_id} left ${leftOutText(found)}; then answer this question to try the task again.`,
    );
  for (const path of Object.keys({ ...submodules, ...now.submodules }))
    if (submodules[path] !== now.submodules[path])
      throw new NeedsPerson(
        `Task ${task_id} changed files inside the submodule ${pathText(path)}, and Ralph commits nothing there. Commit them there yourself or undo them; then answer this question to try the task again.`,
      );
}

export function requireNoLinks(task_id: number, changes: readonly Change[]): void {
  const link = changes.find(isRepositoryLink);
  if (link !== undefined)
    throw new NeedsPerson(
      `Task ${task_id} moved the submodule ${pathText(link.path)} to another commit, and Ralph does not commit that. Commit it yourself or undo it; then answer this question to try the task again.`,
    );
}

function leftOutText({ path, why, bytes }: LeftOut): string {
  const name = pathText(path);
  switch (why) {
    case 'repository':
      return `a git repository of its own in ${name}, and a commit cannot hold its files. Remove ${name}/.git, make it a submodule or delete it`;
    case 'size':
      return `${name} (${(bytes / 2 ** 20).toFixed(0)} MB), and Ralph commits no file over ${MAX_FILE_MB} MB. Name it in .gitignore, delete it or commit it yourself`;
    case 'unreadable':
      return `${name}, which Ralph may not read. Make it readable or delete it`;
  }
}

/** Files that git stores encrypted or elsewhere must not be committed as plain content. */
export async function requireUnfiltered(place: Place, changes: readonly Change[]): Promise<void> {
  const [found] = await filteredPaths(
    place,
    changes.map(({ path }) => path),
  );
  if (found !== undefined)
    throw new NeedsPerson(
      `${pathText(found[0])} is stored through the filter "${found[1]}" (as LFS and git-crypt do), and Ralph runs no filter. Commit it yourself; then answer this question to try the task again.`,
    );
}

/** Those of the paths that git stores through a filter, with its name. */
export async function filteredPaths(place: Place, paths: readonly string[]): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const input = paths.map((path) => `${path}\0`).join('');
  const asked = ['check-attr', '-z', '--stdin', 'filter'];
  // Both the attributes of the tree and those of the repository: an agent could override the former with the latter.
  const answers = await allEnded([
    git(place, asked, { input }),
    withEmptyIndex(place, (own) => git(own, asked, { input })),
  ]);
  const found = new Map<string, string>();
  for (const [, path = '', filter = ''] of answers.flatMap(({ stdout }) => [
    ...stdout.matchAll(/([^\0]*)\0filter\0([^\0]*)\0/g),
  ]))
    if (filter !== 'unspecified' && filter !== 'unset') found.set(path, filter);
  return found;
}
