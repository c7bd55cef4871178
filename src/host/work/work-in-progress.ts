// Work in progress travels with its task: set aside when another task comes first, put back when it is taken up again.
// Nothing leaves the work tree before a commit under refs/ralph/ holds it, and each move is written down first: a
// supervisor that is killed on the way leaves half of it moved, and the next one finishes that before it looks at the tree.
import { rm } from 'node:fs/promises';
import { NeedsPerson } from '../../domain/refusal.ts';
import { RALPH, tellIndexOfLast } from '../commits/land.ts';
import { applyChanges } from '../git/apply-changes.ts';
import { git, gitLine, hasObject, headCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { adoptSettings, type Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { baseRef, dropRefs, holdTree, mayExist, provenRef, tasksWithRefs, workRef } from '../git/refs.ts';
import { type Change, changesBetween } from '../git/tree-changes.ts';
import { type TakenTree, takeTree } from '../git/work-tree.ts';
import { type Committing, withCommitted, withOthers, withPersonsMoves } from './persons-changes.ts';
import { readBase, requireKeepable, type SessionBase, writeBase } from './session-base.ts';
import { keepPaths, unkeptFile, withoutUnkept } from './unkept-paths.ts';
import { type Owner, ownerFile, readOwner, writeOwner } from './work-owner.ts';

export type RestoredWork = {
  /** The task whose work made way. */
  set_aside: number | null;
  /** What could not be put back, because it has changed meanwhile. */
  left_out: readonly string[];
  /** The tree as the session finds it, where that is known already. */
  tree: string | null;
};
export type RestoreInput = {
  task_id: number;
  session_id: string;
  /** The work of a task that was done meanwhile is the project's. */
  isDone: (task_id: number) => Promise<boolean>;
  /** How the tree is, where Ralph has just looked. */
  known: TakenTree | null;
} & Committing;

/** Makes the tree ready for a session of this task. Without git there is nothing to do, and nothing is promised. */
export const restoreWork = (place: Place, input: RestoreInput): Promise<RestoredWork> =>
  holdingOffGc(place, () => makeWayAndRestore(place, input));

async function makeWayAndRestore(place: Place, input: RestoreInput): Promise<RestoredWork> {
  const { task_id, isDone, known } = input;
  await Promise.all([adoptSettings(place), tellIndexOfLast(place)]);
  const found = await readSoundOwner(place, task_id);
  const isCurrent = known !== null && known.head === (await headCommit(place));
  // No unfinished work lies in the tree, and none has to come back: there is nothing to ask git.
  if (found === null && known !== null && isCurrent && !mayExist(place, workRef(task_id))) {
    await begin(place, input, known, known.tree);
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
  await begin(place, input, base, left);
  return { set_aside, left_out, tree: isFresh ? base.tree : null };
}

/** What lies in the tree now was there before the task's work, of which there is none yet. */
export const resetBase = (place: Place, session_id: string, task_id: number): Promise<void> =>
  holdingOffGc(place, async () => {
    const base = await takeTree(place);
    if (base !== null) await begin(place, { session_id, task_id }, base, base.tree);
  });

async function begin(
  place: Place,
  { task_id, session_id }: Pick<RestoreInput, 'task_id' | 'session_id'>,
  base: SessionBase,
  /** The tree as the session finds it. */
  left: string,
): Promise<void> {
  // Held by a ref first: what is written down must never name a tree that a person's gc can take away.
  await writeBase(place, { session_id, task_id }, { ...base, left });
  await writeOwner(place, { task_id, base, head: await headCommit(place) });
}

/**
 * The task is not done: its work is saved, and what differs from this tree from here on is not its work. Asks a person about
 * what cannot be saved.
 */
export const saveUnfinished = (
  place: Place,
  session: EndedSession,
  /** The tree that the gates saw, where they ran: what they left in it since is not the task's work. */
  judged: TakenTree | null = null,
  committing: Committing = { agentCommits: false },
): Promise<TakenTree | null> => holdingOffGc(place, () => saveSession(place, session, judged, committing));

export type EndedSession = {
  task_id: number;
  session_id: string;
  /** Asked where the task is free already, so that another session may have taken it up meanwhile. */
  isLast?: () => Promise<boolean>;
};

async function saveSession(
  place: Place,
  session: EndedSession,
  judged: TakenTree | null,
  committing: Committing,
): Promise<TakenTree | null> {
  const { task_id, session_id } = session;
  const began = await readBase(place, session_id);
  const now = judged ?? (await takeTree(place, began?.tree));
  if (began === null || now === null) return now;
  const moved = { ...began, tree: await withPersonsMoves(place, session_id, began.tree, now.head) };
  const grown = await withOthers(place, moved, now.tree);
  const base = await withCommitted(place, grown, now, committing);
  if ((await session.isLast?.()) === false) return now;
  await holdTree(place, baseRef(task_id), base.tree);
  await saveWork(place, task_id, base.tree, now.tree);
  await writeBase(place, session, { ...base, left: now.tree });
  const owner = await readOwner(place);
  // Of several tasks that clients work on in one tree, only the first can be told from the rest.
  if (owner === null || owner.task_id === task_id)
    await writeOwner(place, { head: await headCommit(place), ...owner, task_id, base, left: now.tree });
  await keepPaths(place, task_id, base, now);
  requireKeepable(task_id, base, now);
  return now;
}

/** The base with what others have changed since the last session ended: so that it is neither committed nor taken away with the work. */
async function withPersonsEdits(
  place: Place,
  owner: Owner,
  committing: Committing,
): Promise<{ owner: Owner; now: TakenTree | null }> {
  const now = await takeTree(place, owner.base.tree);
  if (now === null || owner.left === undefined) return { owner, now };
  const base = await withOthers(place, { ...owner.base, left: owner.left }, now.tree);
  return { owner: { ...owner, base: await withCommitted(place, base, now, committing) }, now };
}

/** A task is done: what lies in the tree now is the project's, and what was saved of it is of no more use. */
export async function discardWork(
  place: Place,
  task_id: number,
  /** The trees of a task that no commit holds yet are still needed. */
  { keepTrees = false }: { keepTrees?: boolean } = {},
): Promise<void> {
  const trees = keepTrees ? [] : [baseRef(task_id), provenRef(task_id)];
  await dropRefs(place, [workRef(task_id), ...trees]);
  if ((await readOwner(place))?.task_id === task_id) await rm(ownerFile(place), { force: true });
  await rm(unkeptFile(place, task_id), { force: true });
}

/** What a supervisor that was killed after a task was done did not come to. `done` is asked only where there is something. */
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

/** Whether unfinished work of a task lies in the tree, which is this one now. A session may have left none. */
export async function isWorkInProgress(place: Place, now: string): Promise<boolean> {
  const owner = await readOwner(place);
  if (owner === null) return false;
  const isMoving = owner.leaving !== undefined || owner.returning === true;
  return isMoving || (owner.left ?? now) !== owner.base.tree;
}

/** Where its trees are gone, the work goes on from what was saved of it; without that only a person can tell it apart. */
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

/** Null when no unfinished work lies in the tree any more. */
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

/** `now`: the tree that the base was compared with. Taken a second time it could hold what a person has committed since. */
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

/** The work as a commit upon what was there before: both stay reachable, whatever a person prunes. */
async function saveWork(place: Place, task_id: number, base: string, tree: string): Promise<void> {
  if (tree === base) return dropRefs(place, [workRef(task_id)]);
  const named = { ...place, env: { ...place.env, ...RALPH } };
  const commitOf = (of: string, parent: readonly string[], input: string): Promise<string> =>
    gitLine(named, ['commit-tree', of, ...parent, '-F', '-'], { input });
  const before = await commitOf(base, [], `Before the work of task ${task_id}\n`);
  // What could not be put back of earlier work stays reachable behind it.
  const earlier = await savedCommit(place, task_id);
  const parents = ['-p', before, ...(earlier === null ? [] : ['-p', earlier])];
  const commit = await commitOf(tree, parents, `Work in progress of task ${task_id}\n`);
  await git(place, ['update-ref', workRef(task_id), commit]);
}

async function takeOut(place: Place, tree: string, { base, head }: Owner): Promise<void> {
  const committed = await committedSince(place, head ?? null, tree);
  // A file in which a person's lines cannot be told from the task's stays where the person finds it.
  const stays = new Set(base.mixed);
  const changes = (await changesBetween(place, tree, base.tree)).filter(
    ({ path }) => !committed.has(path) && !stays.has(path),
  );
  await applyChanges(place, changes);
  await rm(ownerFile(place), { force: true });
}

/** What was committed since the work began, as it lies in the tree, is not in progress any more, and stays. */
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

type Saved = { base: string; tree: string };

async function savedWork(place: Place, task_id: number): Promise<Saved | null> {
  const commit = await savedCommit(place, task_id);
  if (commit === null) return null;
  return { tree: await treeOfCommit(place, commit), base: await treeOfCommit(place, `${commit}^`) };
}

/** Every path that is still as it was when the work began gets what the task had made of it. The saved work stays until the task is done. */
async function putBack(place: Place, task_id: number, saved: Saved, now: TakenTree): Promise<string[]> {
  await holdTree(place, baseRef(task_id), now.tree);
  await writeOwner(place, { task_id, base: now, returning: true });
  const moved = (await changesBetween(place, saved.base, now.tree)).map(({ path }) => path);
  const made = await changesBetween(place, saved.base, saved.tree);
  // A file where there is a folder by now, or the other way round, has moved as well.
  const isMoved = ({ path }: Change): boolean =>
    moved.some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
  const blocked = await applyChanges(
    place,
    made.filter((change) => !isMoved(change)),
  );
  const left_out = made.filter(isMoved).map(({ path }) => path);
  return [...left_out, ...blocked].map(pathText);
}
