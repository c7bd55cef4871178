import { isAbsolute, relative } from 'node:path';
import type { FileChange } from '../../domain/context.ts';
import { treeChanges } from '../git/diff.ts';
import { hasObject, headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, GONE } from '../git/tree-changes.ts';
import { type TakenTree, takeTree } from '../git/work-tree.ts';
import { withPersonsMoves } from './persons-changes.ts';
import { readBase } from './session-base.ts';

export type SessionWrites = {
  /** The files that the session's tools named as written. */
  files: readonly string[];
  /** Whether it also used tools that name no files, such as a shell. */
  unnamed: boolean;
};

/**
 * Whether a session changed the work tree. A file that git does not track counts only if the session may have written it:
 * logs, caches and builds of other processes come and go by themselves.
 */
export async function isWorkChanged(
  place: Place,
  before: string,
  after: string,
  { files, unnamed }: SessionWrites,
): Promise<boolean> {
  if (before === after) return false;
  if (unnamed) return true;
  const changes = await changesBetween(place, before, after);
  const head = await treeOfCommit(place, await headCommit(place));
  const sinceHead = new Map(
    (await changesBetween(place, head, after)).map((change) => [change.path, change]),
  );
  const worktree = findGit(place.root)?.worktree ?? place.root;
  const named = new Set(files.map((file) => (isAbsolute(file) ? relative(worktree, file) : file)));
  const isTracked = ({ path, mode }: Change): boolean => {
    const change = sinceHead.get(path);
    // The same in HEAD and now: the file is in both, or in neither.
    return change === undefined ? mode !== GONE : change.old_mode !== GONE;
  };
  return changes.some((change) => isTracked(change) || named.has(pathText(change.path)));
}

/** What the work of a session's task changed when Ralph last saw it; null without git, or without a record of it. */
export async function workChanges(place: Place, session_id: string): Promise<FileChange[] | null> {
  const base = await readBase(place, session_id);
  if (base?.left === undefined) return null;
  const from =
    base.judged_head === undefined || !(await hasObject(place, base.tree))
      ? base.tree
      : await withPersonsMoves(place, session_id, base.tree, base.judged_head);
  return treeChanges(place, from, base.left);
}

/** Whether a session's task has changed nothing. False without git, or without a base: then Ralph cannot tell. */
export async function looksUnchanged(place: Place, session_id: string): Promise<boolean> {
  const taken = await takeTree(place);
  return taken !== null && isUnchangedSince(place, session_id, taken);
}

/** Files that a tree cannot hold count, too: a person has to decide about them. */
export async function isUnchangedSince(
  place: Place,
  session_id: string,
  now: TakenTree & { head?: string | null },
): Promise<boolean> {
  const base = await readBase(place, session_id);
  if (base === null) return false;
  const rest = ({ left_out, submodules }: TakenTree): string => JSON.stringify([left_out, submodules]);
  if (rest(base) !== rest(now)) return false;
  const from = await withPersonsMoves(place, session_id, base.tree, now.head);
  return (await changesBetween(place, from, now.tree)).length === 0;
}
