// Sets unfinished work of a task aside when another task comes first, and restores it with the task's next session.
// Nothing leaves the work tree before a commit under refs/ralph/ holds it, and Ralph records each move first: if a
// supervisor is killed half-way, the next one finishes the move before it looks at the tree.
import { rm } from 'node:fs/promises';
import { NeedsPerson } from '../../domain/refusal.ts';
import { RALPH } from '../commits/identity.ts';
import { updateIndexForLastCommit } from '../commits/land.ts';
import { applyChanges } from '../git/apply-changes.ts';
import { git, gitLine, hasObject, headCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { adoptSettings, type Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { baseRef, dropRefs, holdTree, mayExist, provenRef, tasksWithRefs, workRef } from '../git/refs.ts';
import { type Change, changesBetween } from '../git/tree-changes.ts';
import { type TakenTree, takeTree } from '../git/work-tree.ts';
import { type CommitPolicy, withCommitted, withOthersChanges, withPersonsMoves } from './persons-changes.ts';
import { readBase, requireCommittable, type SessionBase, writeBase } from './session-base.ts';
import { recordUnkeptPaths, unkeptFile, withoutUnkept } from './unkept-paths.ts';
import { type Owner, ownerFile, readOwner, writeOwner } from './work-owner.ts';

export type RestoredWork = {
  /** The task whose work was set aside. */
  set_aside: number | null;
  /** Files that could not be restored, because they have changed meanwhile. */
  left_out: readonly string[];
  /** The tree as the session finds it, if Ralph knows it already. */
  tree: string | null;
};

export type RestoreInput = {
  task_id: number;
  session_id: string;
  /** The work of a task that is done meanwhile belongs to the project. */
  isDone: (task_id: number) => Promise<boolean>;
  /** The tree, if Ralph has just taken it. */
  known: TakenTree | null;
} & CommitPolicy;

/** Makes the tree ready for a session of this task. Does nothing without git. */
export const restoreWork = (place: Place, input: RestoreInput): Promise<RestoredWork> =>
  holdingOffGc(place, () => makeWayAndRestore(place, input));

async function makeWayAndRestore(place: Place, input: RestoreInput): Promise<RestoredWork> {
  const { task_id, isDone, known } = input;
  await Promise.all([adoptSettings(place), updateIndexForLastCommit(place)]);
  const found = await readSoundOwner(place, task_id);
  const isCurrent = known !== null && known.head === (await headCommit(place));
  // Fast path without git: the tree holds no unfinished work, and there is none to restore.
  if (found === null && known !== null && isCurrent && !mayExist(place, workRef(task_id))) {
    await recordStart(place, input, known, known.tree);
    return { set_aside: null, left_out: [], tree: known.tree };
  }
  const isOver = found !== null && (await isDone(found.task_id));
  if (isOver) await discardWork(place, found.task_id);
  const moved = found === null || isOver ? null : await finishMove(place, found, task_id);
  const edited = moved === null ? null : await withPersonsEdits(place, moved, input);
  const owner = edited?.owner ?? null;
  const isOwn = owner?.task_id === task_id;
  const set_aside = edited === null || isOwn ? null : await setAside(place, edited.owner, edited.now);
  const there = isOwn ? owner.base : await takeTree(place);
  const base = there === null ? null : await withoutUnkept(place, task_id, there);
  if (base === null) return { set_aside, left_out: [], tree: null };
  const saved = isOwn && !owner.returning ? null : await savedWork(place, task_id);
  const left_out = saved === null ? [] : await putBack(place, task_id, saved, base);
  const isFresh = !isOwn && saved === null;
  const left = isFresh ? base.tree : ((await takeTree(place, base.tree))?.tree ?? base.tree);
  await recordStart(place, input, base, left);
  return { set_aside, left_out, tree: isFresh ? base.tree : null };
}

/** The task has no work yet: the tree as it is now becomes its base. */
export const resetBase = (place: Place, session_id: string, task_id: number): Promise<void> =>
  holdingOffGc(place, async () => {
    const base = await takeTree(place);
    if (base !== null) await recordStart(place, { session_id, task_id }, base, base.tree);
  });

async function recordStart(
  place: Place,
  { task_id, session_id }: Pick<RestoreInput, 'task_id' | 'session_id'>,
  base: SessionBase,
  /** The tree as the session finds it. */
  left: string,
): Promise<void> {
  // The ref first: a record must never name a tree that a person's gc can remove.
  await writeBase(place, { session_id, task_id }, { ...base, left });
  await writeOwner(place, { task_id, base, head: await headCommit(place) });
}

/**
 * Saves the work of a task that is not done. Later changes to the tree are not the task's work. Asks a person about files
 * that cannot be saved.
 */
export const saveUnfinished = (
  place: Place,
  session: EndedSession,
  /** The tree that the gates saw, if they ran: files that the gates left are not the task's work. */
  judged: TakenTree | null = null,
  committing: CommitPolicy = { agentCommits: false },
): Promise<TakenTree | null> => holdingOffGc(place, () => saveSession(place, session, judged, committing));

export type EndedSession = {
  task_id: number;
  session_id: string;
  /** For a task that is free already: another session may have claimed it meanwhile. */
  isLast?: () => Promise<boolean>;
};

async function saveSession(
  place: Place,
  session: EndedSession,
  judged: TakenTree | null,
  committing: CommitPolicy,
): Promise<TakenTree | null> {
  const { task_id, session_id } = session;
  const began = await readBase(place, session_id);
  const now = judged ?? (await takeTree(place, began?.tree));
  if (began === null || now === null) return now;
  const moved = { ...began, tree: await withPersonsMoves(place, session_id, began.tree, now.head) };
  const grown = await withOthersChanges(place, moved, now.tree);
  const base = await withCommitted(place, grown, now, committing);
  if ((await session.isLast?.()) === false) return now;
  await holdTree(place, baseRef(task_id), base.tree);
  await saveWork(place, task_id, base.tree, now.tree);
  await writeBase(place, session, { ...base, left: now.tree });
  const owner = await readOwner(place);
  // If clients work on several tasks in one tree, Ralph can tell only the first from the rest.
  if (owner === null || owner.task_id === task_id)
    await writeOwner(place, { head: await headCommit(place), ...owner, task_id, base, left: now.tree });
  await recordUnkeptPaths(place, task_id, base, now);
  requireCommittable(task_id, base, now);
  return now;
}

/** The base plus what others have changed since the last session, so that Ralph neither commits it nor sets it aside. */
async function withPersonsEdits(
  place: Place,
  owner: Owner,
  committing: CommitPolicy,
): Promise<{ owner: Owner; now: TakenTree | null }> {
  const now = await takeTree(place, owner.base.tree);
  if (now === null || owner.left === undefined) return { owner, now };
  const base = await withOthersChanges(place, { ...owner.base, left: owner.left }, now.tree);
  return { owner: { ...owner, base: await withCommitted(place, base, now, committing) }, now };
}

/** For a task that is done: its work in the tree belongs to the project, and the saved copy is of no more use. */
export async function discardWork(
  place: Place,
  task_id: number,
  /** Keeps the trees of a task that no commit holds yet. */
  { keepTrees = false }: { keepTrees?: boolean } = {},
): Promise<void> {
  const trees = keepTrees ? [] : [baseRef(task_id), provenRef(task_id)];
  await dropRefs(place, [workRef(task_id), ...trees]);
  if ((await readOwner(place))?.task_id === task_id) await rm(ownerFile(place), { force: true });
  await rm(unkeptFile(place, task_id), { force: true });
}

/** For a supervisor that was killed after a task was done. Calls `done` only if there is work to discard. */
export async function discardDoneWork(
  place: Place,
  done: () => Promise<{ has(task_id: number): boolean }>,
  options: { keepTrees?: boolean } = {},
): Promise<void> {
  const owner = await readOwner(place);
  const ids = [...new Set([...(owner === null ? [] : [owner.task_id]), ...(await tasksWithRefs(place))])];
  if (ids.length === 0) return;
  const isOver = await done();
  for (const id of ids) if (isOver.has(id)) await discardWork(place, id, options);
}

/** Whether the tree, which is `now`, holds unfinished work of a task. A session may have left none. */
export async function isWorkInProgress(place: Place, now: string): Promise<boolean> {
  const owner = await readOwner(place);
  if (owner === null) return false;
  const isMoving = owner.leaving !== undefined || owner.returning === true;
  return isMoving || (owner.left ?? now) !== owner.base.tree;
}

/** If git has lost the owner's trees, falls back to the saved work. Without that only a person can tell the work apart. */
async function readSoundOwner(place: Place, task_id: number): Promise<Owner | null> {
  const owner = await readOwner(place);
  if (owner === null) return null;
  const trees = [owner.base.tree, owner.left, owner.leaving].filter((tree) => tree !== undefined);
  const isThere = await Promise.all(trees.map((tree) => hasObject(place, tree)));
  if (isThere.every(Boolean)) return owner;
  const saved = await savedWork(place, owner.task_id);
  if (saved !== null)
    return { task_id: owner.task_id, base: { ...owner.base, tree: saved.base }, left: saved.tree };
  await rm(ownerFile(place), { force: true });
  if (owner.task_id !== task_id) return null;
  throw new NeedsPerson(
    `Git has lost the tree that lay here before task ${task_id} began, so Ralph cannot tell the task's changes from yours. Commit what belongs to the task yourself; then answer this question to try the task again.`,
  );
}

/** Finishes a move that a killed supervisor began. Null if the tree holds no unfinished work any more. */
async function finishMove(place: Place, owner: Owner, next: number): Promise<Owner | null> {
  const { task_id, base, leaving, returning } = owner;
  if (leaving !== undefined) {
    await takeOut(place, leaving, owner);
    return null;
  }
  const saved = returning && task_id !== next ? await savedWork(place, task_id) : null;
  if (saved !== null) await putBack(place, task_id, saved, base);
  return owner;
}

/** `now`: the tree that the base was compared with. A second one could hold what a person has committed since. */
async function setAside(place: Place, owner: Owner, now: TakenTree | null): Promise<number | null> {
  const { task_id, base } = owner;
  if (now === null) return null;
  await saveWork(place, task_id, base.tree, now.tree);
  if (now.tree !== base.tree) {
    await writeOwner(place, { ...owner, leaving: now.tree });
    await takeOut(place, now.tree, owner);
    return task_id;
  }
  await rm(ownerFile(place), { force: true });
  return null;
}

/** Saves the work as a commit on top of its base: both stay reachable, whatever a person prunes. */
async function saveWork(place: Place, task_id: number, base: string, tree: string): Promise<void> {
  if (tree === base) return dropRefs(place, [workRef(task_id)]);
  const named = { ...place, env: { ...place.env, ...RALPH } };
  const commitTree = (of: string, parent: readonly string[], input: string): Promise<string> =>
    gitLine(named, ['commit-tree', of, ...parent, '-F', '-'], { input });
  const before = await commitTree(base, [], `Before the work of task ${task_id}\n`);
  // Earlier work that could not be restored stays reachable as a parent.
  const earlier = await savedCommit(place, task_id);
  const parents = ['-p', before, ...(earlier === null ? [] : ['-p', earlier])];
  const commit = await commitTree(tree, parents, `Work in progress of task ${task_id}\n`);
  await git(place, ['update-ref', workRef(task_id), commit]);
}

async function takeOut(place: Place, tree: string, { base, head }: Owner): Promise<void> {
  const committed = await committedSince(place, head ?? null, tree);
  // A file with lines of a person and of the task that Ralph cannot tell apart stays in the tree.
  const stays = new Set(base.mixed);
  const changes = (await changesBetween(place, tree, base.tree)).filter(
    ({ path }) => !committed.has(path) && !stays.has(path),
  );
  await applyChanges(place, changes);
  await rm(ownerFile(place), { force: true });
}

/** Paths that were committed since the work began and match the tree: they are not in progress any more, and stay. */
async function committedSince(
  place: Place,
  head: string | null,
  tree: string,
): Promise<{ has(path: string): boolean }> {
  const [before, now] = [await treeOfCommit(place, head), await treeOfCommit(place, await headCommit(place))];
  const open = new Set((await changesBetween(place, now, tree)).map(({ path }) => path));
  const committed = (await changesBetween(place, before, now)).map(({ path }) => path);
  return new Set(committed.filter((path) => !open.has(path)));
}

async function savedCommit(place: Place, task_id: number): Promise<string | null> {
  if (!mayExist(place, workRef(task_id))) return null;
  const asked = ['rev-parse', '--verify', '--quiet', `${workRef(task_id)}^{commit}`];
  const { code, stdout } = await git(place, asked, { answers: [1] });
  return code === 0 ? stdout.trim() : null;
}

type SavedWork = { base: string; tree: string };

async function savedWork(place: Place, task_id: number): Promise<SavedWork | null> {
  const commit = await savedCommit(place, task_id);
  if (commit === null) return null;
  return { tree: await treeOfCommit(place, commit), base: await treeOfCommit(place, `${commit}^`) };
}

/**
 * Restores the task's version of every path that is still as it was when the work began. Returns the paths that it left out.
 * The saved work stays until the task is done.
 */
async function putBack(place: Place, task_id: number, saved: SavedWork, now: TakenTree): Promise<string[]> {
  await holdTree(place, baseRef(task_id), now.tree);
  await writeOwner(place, { task_id, base: now, returning: true });
  const moved = (await changesBetween(place, saved.base, now.tree)).map(({ path }) => path);
  const made = await changesBetween(place, saved.base, saved.tree);
  // A file that became a folder, or the other way round, has moved as well.
  const isMoved = ({ path }: Change): boolean =>
    moved.some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
  const blocked = await applyChanges(
    place,
    made.filter((change) => !isMoved(change)),
  );
  const left_out = made.filter(isMoved).map(({ path }) => path);
  return [...left_out, ...blocked].map(pathText);
}
