// Moves other people's changes to the tree into the base of a task, so that the task's commit holds none of them.

import { hasObject, headCommit, treeOfCommit } from '../git/git.ts';
import { mergeEntry, newEntry, oldEntry } from '../git/merge-entry.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { changesBetween, formatEntry } from '../git/tree-changes.ts';
import type { TakenTree } from '../git/work-tree.ts';
import { movesSince } from './branch.ts';
import type { SessionBase } from './session-base.ts';

/**
 * The base plus what has changed since the task's own work was last seen (`left`). In a file that the task changed as well
 * it adds only the others' lines. If both changed the same lines, Ralph cannot tell them apart and the path is `mixed`.
 */
export async function withOthersChanges<Base extends SessionBase>(
  place: Place,
  base: Base,
  now: string,
): Promise<Base> {
  const { left } = base;
  if (left === undefined || left === now || !(await hasObject(place, left))) return base;
  const own = new Map((await changesBetween(place, base.tree, left)).map((change) => [change.path, change]));
  const entries: string[] = [];
  const mixed: string[] = [];
  for (const change of await changesBetween(place, left, now)) {
    const { path } = change;
    const task = own.get(path);
    const entry =
      task === undefined
        ? newEntry(change)
        : await mergeEntry(place, oldEntry(task), oldEntry(change), newEntry(change));
    if (entry === null) mixed.push(path);
    else entries.push(formatEntry({ path, ...entry }));
  }
  const tree = entries.length === 0 ? base.tree : await treeWith(place, base.tree, entries.join(''));
  return { ...base, tree, mixed: [...(base.mixed ?? []), ...mixed] };
}

/** Whether agents make the commits: files that match HEAD may then be the task's work. */
export type CommitPolicy = { agentCommits: boolean };

/** The base plus the files that match HEAD: they are committed, so they are no open work. */
export async function withCommitted<Base extends SessionBase>(
  place: Place,
  base: Base,
  now: TakenTree,
  { agentCommits }: CommitPolicy,
): Promise<Base> {
  if (agentCommits) return base;
  const head = await treeOfCommit(place, now.head === undefined ? await headCommit(place) : now.head);
  const open = new Set((await changesBetween(place, head, now.tree)).map(({ path }) => path));
  const closed = (await changesBetween(place, base.tree, now.tree)).filter(({ path }) => !open.has(path));
  const tree =
    closed.length === 0 ? base.tree : await treeWith(place, base.tree, closed.map(formatEntry).join(''));
  return { ...base, tree, mixed: (base.mixed ?? []).filter((path) => open.has(path)) };
}

/** The base plus a person's commits, pulls and rebases during the session, which changed the tree, too. */
export async function withPersonsMoves(
  place: Place,
  session_id: string,
  base: string,
  /** HEAD when the compared tree was taken: later commits are not in that tree. */
  head: string | null | undefined,
): Promise<string> {
  const all = (await movesSince(place, session_id)) ?? [];
  const moves = head === undefined ? all : all.slice(0, all.findLastIndex(({ to }) => to === head) + 1);
  let tree = base;
  for (const { from, to } of moves.filter(({ by }) => by === 'person')) {
    const [before, after] = [
      await treeOfCommit(place, commitOrNull(from)),
      await treeOfCommit(place, commitOrNull(to)),
    ];
    // Paths that were open in the base before the move stay as the base has them: they are the person's.
    const open = new Set((await changesBetween(place, before, tree)).map(({ path }) => path));
    const changes = (await changesBetween(place, before, after)).filter(({ path }) => !open.has(path));
    if (changes.length > 0) tree = await treeWith(place, tree, changes.map(formatEntry).join(''));
  }
  return tree;
}

/** Git writes zeros if there was no commit. */
export const commitOrNull = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit);
