// What others did to the tree while nobody worked on the task is part of what was there before it: its commit holds none of that.

import { hasObject, headCommit, treeOfCommit } from '../git/git.ts';
import { mergeEntry, newEntry, oldEntry } from '../git/merge-entry.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { changesBetween, entryOf } from '../git/tree-changes.ts';
import type { TakenTree } from '../git/work-tree.ts';
import { movesSince } from './branch.ts';
import type { SessionBase } from './session-base.ts';

/**
 * The base with what has changed since the task's own work was last seen (`left`). In a file that the task has changed as
 * well it is the other's lines; where both changed the same ones, nobody can tell them apart and the path is `mixed`.
 */
export async function withOthers<Base extends SessionBase>(
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
    else entries.push(entryOf({ path, ...entry }));
  }
  const tree = entries.length === 0 ? base.tree : await treeWith(place, base.tree, entries.join(''));
  return { ...base, tree, mixed: [...(base.mixed ?? []), ...mixed] };
}

/** Whether agents make the commits: what lies in the tree as HEAD has it may then be the task's work. */
export type Committing = { agentCommits: boolean };

/** The base with what lies in the tree as HEAD has it: that is nobody's open work any more. */
export async function withCommitted<Base extends SessionBase>(
  place: Place,
  base: Base,
  now: TakenTree,
  { agentCommits }: Committing,
): Promise<Base> {
  if (agentCommits) return base;
  const head = await treeOfCommit(place, now.head === undefined ? await headCommit(place) : now.head);
  const open = new Set((await changesBetween(place, head, now.tree)).map(({ path }) => path));
  const closed = (await changesBetween(place, base.tree, now.tree)).filter(({ path }) => !open.has(path));
  const tree =
    closed.length === 0 ? base.tree : await treeWith(place, base.tree, closed.map(entryOf).join(''));
  return { ...base, tree, mixed: (base.mixed ?? []).filter((path) => open.has(path)) };
}

/** A person's commits, pulls and rebases during the session changed the tree, too: they are part of what was there before. */
export async function withPersonsMoves(
  place: Place,
  session_id: string,
  base: string,
  /** Where HEAD was when the tree that is compared with it was taken: what was committed later is not in that tree. */
  head: string | null | undefined,
): Promise<string> {
  const all = (await movesSince(place, session_id)) ?? [];
  const moves = head === undefined ? all : all.slice(0, all.findLastIndex(({ to }) => to === head) + 1);
  let tree = base;
  for (const { from, to } of moves.filter(({ by }) => by === 'person')) {
    const [before, after] = [await treeOfCommit(place, orNone(from)), await treeOfCommit(place, orNone(to))];
    // Where the base had more than the commit before, a person committed a part of it: the rest is still theirs.
    const open = new Set((await changesBetween(place, before, tree)).map(({ path }) => path));
    const changes = (await changesBetween(place, before, after)).filter(({ path }) => !open.has(path));
    if (changes.length > 0) tree = await treeWith(place, tree, changes.map(entryOf).join(''));
  }
  return tree;
}

/** Git writes zeros where there was no commit. */
export const orNone = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit);
