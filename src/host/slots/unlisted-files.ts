// What git neither lists nor restores in a slot: FIFOs, sockets, a `.git` in a folder of the tree, and a link in place of a folder
// whose files were moved to where it leads.
import { readdirSync } from 'node:fs';
import { type Git, git } from '../git/git.ts';
import { compareLooseTrees, GONE, isRepositoryLink } from '../git/tree-changes.ts';
import { removeFiles, systemPath } from './file-records.ts';
import type { Slot } from './slot.ts';

type Listed = { tree: string; folders: readonly string[] };

/** By repository: what was listed last. The next tree seldom differs by more than a few files. */
const lastListed = new Map<string, Listed>();

/** The folders of a tree or a commit as raw paths, each after its parent. */
export async function foldersIn(repository: Git, tree: string): Promise<readonly string[]> {
  const last = lastListed.get(repository.root);
  const folders =
    (last === undefined ? null : foldersAfter(repository, last, tree)) ?? (await list(repository, tree));
  lastListed.set(repository.root, { tree, folders });
  return folders;
}

async function list(repository: Git, tree: string): Promise<string[]> {
  const { stdout } = await git(repository, ['ls-tree', '-rdz', '--full-tree', '--name-only', tree]);
  return stdout.split('\0').slice(0, -1);
}

/** Null if git has to list them: where a file was removed, its folder may be gone, too. */
function foldersAfter(repository: Git, last: Listed, tree: string): readonly string[] | null {
  const changes = last.tree === tree ? [] : compareLooseTrees(repository, last.tree, tree);
  if (changes?.every((change) => change.mode !== GONE && !isRepositoryLink(change)) !== true) return null;
  const parents = changes.flatMap(({ path }) => {
    const parts = path.split('/');
    return parts.slice(1).map((_, nth) => parts.slice(0, nth + 1).join('/'));
  });
  return parents.length === 0 ? last.folders : [...new Set([...last.folders, ...parents])];
}

/**
 * Removes FIFOs and sockets: no server can listen where a killed one did. False if the slot has to be made anew: a folder is
 * missing or a link, or git in it would obey a `.git` of its own.
 */
export function removeUnlisted({ tree }: Slot, folders: readonly string[]): boolean {
  const found = new Set(['']);
  try {
    return ['', ...folders].every((folder) => {
      if (!found.has(folder)) return false;
      const entries = readdirSync(systemPath(tree, folder), { withFileTypes: true, encoding: 'latin1' });
      for (const entry of entries) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) found.add(path);
        if (entry.isFIFO() || entry.isSocket()) removeFiles(tree, [path]);
      }
      return folder === '' || entries.every(({ name }) => name !== '.git');
    });
  } catch {
    // Ralph may not read a folder, or not write there.
    return false;
  }
}
