// Paths of a task's work that no tree can hold, such as a nested repository. A person may mend them while the task waits, for
// example by removing the nested .git: the files that appear there then are still the task's work, not the person's.
import { join } from 'node:path';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { headCommit, treeOfCommit } from '../git/git.ts';
import { ownFolder, type Place, treeWith } from '../git/own-git.ts';
import { changesBetween, formatEntry, GONE } from '../git/tree-changes.ts';
import type { TakenTree } from '../git/work-tree.ts';
import { PRIVATE_FILE } from '../private-state.ts';

export const unkeptFile = (place: Place, task_id: number): string =>
  join(ownFolder(place), `unkept-${task_id}.json`);

export async function recordUnkeptPaths(
  place: Place,
  task_id: number,
  base: TakenTree,
  now: TakenTree,
): Promise<void> {
  const known = new Set(base.left_out.map(({ path }) => path));
  const paths = now.left_out.map(({ path }) => path).filter((path) => !known.has(path));
  if (paths.length > 0)
    await writeFileWhole(unkeptFile(place, task_id), JSON.stringify(paths), { mode: PRIVATE_FILE });
}

/** The base of the task without the uncommitted files below those paths. */
export async function withoutUnkept(place: Place, task_id: number, base: TakenTree): Promise<TakenTree> {
  const paths = (await readRecord<string[]>(unkeptFile(place, task_id))) ?? [];
  if (paths.length === 0) return base;
  const isBelow = (path: string): boolean => paths.some((top) => path === top || path.startsWith(`${top}/`));
  const open = await changesBetween(place, await treeOfCommit(place, await headCommit(place)), base.tree);
  const entries = open
    .filter(({ path }) => isBelow(path))
    .map(({ path, hash }) => formatEntry({ path, mode: GONE, hash: hash.replace(/./g, '0') }));
  return {
    ...base,
    tree: await treeWith(place, base.tree, entries.join('')),
    left_out: base.left_out.filter(({ path }) => !isBelow(path)),
  };
}
