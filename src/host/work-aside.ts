// Work in progress travels with its task: set aside when another task comes first, put back when it is taken up again.
// Nothing is removed from the work tree before a commit under refs/ralph/ holds it, and what is moved is written down first: a
// supervisor that is killed on the way leaves half of it moved, and the next one finishes that before it looks at the tree.
import { mkdir, readFile, realpath, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { type Git, gitText, headCommit, withoutFilters } from './git.ts';
import { commitAt, findGit } from './git-place.ts';
import { type Change, changesBetween, entryOf, RALPH, treeOf, withIndex } from './git-work.ts';
import { scratchOf } from './scratch.ts';
import { type Place, writeBase } from './session-work.ts';
import { writeFileWhole } from './write-file.ts';

/** Whose unfinished work lies in the tree, and how the tree was before it. */
type Owner = {
  task_id: number;
  base_tree: string;
  /** The tree as the last session left it; what differs from it came from somebody else. */
  left?: string;
  /** While the work is taken out of the tree: the tree that held all of it. */
  leaving?: string;
  /** While the work is put back into the tree. */
  returning?: true;
};

export type TakenUp = {
  /** The task whose work made way. */
  set_aside: number | null;
  /** What could not be put back, because it has changed meanwhile. */
  left_out: readonly string[];
  /** The tree as the session finds it, where that is known already. */
  tree: string | null;
};

const ownerFile = ({ stateDir }: Place): string => join(stateDir, 'work-in-progress.json');
export const refOf = (task_id: number): string => `refs/ralph/task-${task_id}`;

/** Makes the tree ready for a session of this task. Without git there is nothing to do, and nothing is promised. */
export async function takeUp(
  place: Place,
  task_id: number,
  session_id: string,
  /** The work of a task that was done meanwhile, by whomever, is the project's. */
  isDone: (task_id: number) => Promise<boolean>,
  /** How the tree is, where somebody has just looked; null where nobody has. */
  known: string | null = null,
): Promise<TakenUp> {
  const found = await readOwner(place);
  // Nobody's work lies in the tree, and none has to come back: there is nothing to ask git.
  if (found === null && known !== null && !mayHaveRef(place, task_id)) {
    await begin(place, session_id, { task_id, base_tree: known });
    return { set_aside: null, left_out: [], tree: known };
  }
  const git = await withoutFilters(place);
  const isOver = found !== null && (await isDone(found.task_id));
  if (isOver) await giveOver(place);
  const moved = found === null || isOver ? null : await finishMove(git, place, found, task_id);
  const owner = moved === null ? null : await withPersons(git, place, moved);
  const set_aside = owner !== null && owner.task_id !== task_id ? await setAside(git, place, owner) : null;
  const isOwn = owner?.task_id === task_id;
  const [base_tree, saved] = await Promise.all([
    isOwn ? owner.base_tree : treeOf(git, scratchOf(place)),
    isOwn && !owner.returning ? null : savedWork(git, task_id),
  ]);
  if (base_tree === null) return { set_aside, left_out: [], tree: null };
  const left_out = saved === null ? [] : await putBack(git, place, task_id, saved, base_tree);
  await begin(place, session_id, { task_id, base_tree });
  return { set_aside, left_out, tree: isOwn || saved !== null ? null : base_tree };
}

/** What lies in the tree now was there before the task's work, of which there is none yet. */
export async function rebase(place: Place, session_id: string, task_id: number): Promise<void> {
  const base_tree = await treeOf(place, scratchOf(place));
  if (base_tree !== null) await begin(place, session_id, { task_id, base_tree });
}

/** The task is not done: what differs from this tree from here on is not its work. */
export async function leaveWork(place: Place, left: string | null): Promise<void> {
  const owner = await readOwner(place);
  if (owner !== null && left !== null) await writeOwner(place, { ...owner, left });
}

/** The base with what a person has changed since the last session ended: so that it is neither committed nor taken away with the work. */
async function withPersons(git: Git, place: Place, owner: Owner): Promise<Owner> {
  if (owner.left === undefined) return owner;
  const now = await treeOf(git, scratchOf(place));
  if (now === null || now === owner.left) return owner;
  const entries = (await changesBetween(git, owner.left, now)).map(entryOf).join('');
  const base_tree = await withIndex(git, scratchOf(place), async (indexed) => {
    await gitText(indexed, ['read-tree', owner.base_tree]);
    await gitText(indexed, ['update-index', '-z', '--index-info'], entries);
    return (await gitText(indexed, ['write-tree']))?.trim() || null;
  });
  return { ...owner, base_tree: base_tree ?? owner.base_tree };
}

async function begin(place: Place, session_id: string, owner: Owner): Promise<void> {
  await Promise.all([writeOwner(place, owner), writeBase(place, session_id, owner.base_tree)]);
}

/** Told from files: most tasks have none, and git would be asked for each of them. */
function mayHaveRef({ root }: Pick<Git, 'root'>, task_id: number): boolean {
  const git = findGit(root);
  return git !== null && commitAt(git, refOf(task_id)) !== null;
}

/** The task is done: what lies in the tree now is the project's, and what was saved of it is of no more use. */
export async function giveOver(place: Place): Promise<void> {
  const owner = await readOwner(place);
  if (owner !== null && mayHaveRef(place, owner.task_id))
    await gitText(place, ['update-ref', '-d', refOf(owner.task_id)]);
  await rm(ownerFile(place), { force: true });
}

/** What a supervisor that was killed after a task was done did not come to. `done` is asked only where there is something. */
export async function giveOverDone(
  place: Place,
  done: () => Promise<{ has(task_id: number): boolean }>,
): Promise<void> {
  const owner = await readOwner(place);
  const refs = (await gitText(place, ['for-each-ref', '--format=%(refname)', 'refs/ralph/'])) ?? '';
  if (owner === null && refs === '') return;
  const isOver = await done();
  if (owner !== null && isOver.has(owner.task_id)) await giveOver(place);
  for (const ref of refs.trim().split('\n')) {
    const id = Number(/^refs\/ralph\/task-(\d+)$/.exec(ref)?.[1]);
    if (isOver.has(id)) await gitText(place, ['update-ref', '-d', ref]);
  }
}

async function readOwner(place: Place): Promise<Owner | null> {
  const text = await readFile(ownerFile(place), 'utf8').catch(() => null);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    throw new Refusal(
      `${ownerFile(place)} cannot be read, so nobody knows whose unfinished work lies in the tree; look at git status, then remove that file.`,
    );
  }
}

const writeOwner = (place: Place, owner: Owner): Promise<void> =>
  writeFileWhole(ownerFile(place), JSON.stringify(owner));

/** Null when nobody's work lies in the tree any more. */
async function finishMove(git: Git, place: Place, owner: Owner, next: number): Promise<Owner | null> {
  const { task_id, base_tree, leaving, returning } = owner;
  if (leaving !== undefined) {
    await takeOut(git, place, leaving, base_tree);
    return null;
  }
  const saved = returning && task_id !== next ? await savedWork(git, task_id) : null;
  if (saved !== null) await putBack(git, place, task_id, saved, base_tree);
  return owner;
}

async function setAside(git: Git, place: Place, { task_id, base_tree }: Owner): Promise<number | null> {
  const tree = await treeOf(git, scratchOf(place));
  if (tree === null || tree === base_tree) return null;
  const message = `Work in progress of task ${task_id}\n\nRalph-Base: ${base_tree}\n`;
  const named = { ...git, env: { ...git.env, ...RALPH } };
  const commit = (await gitText(named, ['commit-tree', tree, '-F', '-'], message))?.trim();
  const kept = commit === undefined ? null : await gitText(git, ['update-ref', refOf(task_id), commit]);
  if (kept === null)
    throw new Refusal(`The unfinished work of task ${task_id} could not be set aside; look at git status.`);
  await writeOwner(place, { task_id, base_tree, leaving: tree });
  await takeOut(git, place, tree, base_tree);
  return task_id;
}

async function takeOut(git: Git, place: Place, tree: string, base_tree: string): Promise<void> {
  const open = await uncommitted(git, tree);
  await apply(
    git,
    place,
    (await changesBetween(git, tree, base_tree)).filter(({ path }) => open.has(path)),
  );
  await rm(ownerFile(place), { force: true });
}

type Saved = { commit: string; base: string };

async function savedWork(git: Git, task_id: number): Promise<Saved | null> {
  if (!mayHaveRef(git, task_id)) return null;
  const found = await gitText(git, ['rev-parse', '--verify', '--quiet', `${refOf(task_id)}^{commit}`]);
  const commit = found?.trim();
  if (!commit) return null;
  const text = (await gitText(git, ['show', '-s', '--format=%B', commit])) ?? '';
  const base = /^Ralph-Base: ([0-9a-f]{40,64})$/m.exec(text)?.[1];
  return base === undefined ? null : { commit, base };
}

/** Every path that is still as it was when the work began gets what the task had made of it. */
async function putBack(
  git: Git,
  place: Place,
  task_id: number,
  { commit, base }: Saved,
  now: string,
): Promise<string[]> {
  await writeOwner(place, { task_id, base_tree: now, returning: true });
  const moved = new Set((await changesBetween(git, base, now)).map(({ path }) => path));
  const made = await changesBetween(git, base, `${commit}^{tree}`);
  await apply(
    git,
    place,
    made.filter(({ path }) => !moved.has(path)),
  );
  const left_out = made.filter(({ path }) => moved.has(path)).map(({ path }) => path);
  // With something left out it stays, for whoever looks for the rest of it.
  if (left_out.length === 0) await gitText(git, ['update-ref', '-d', refOf(task_id)]);
  return left_out;
}

/** What somebody has committed meanwhile is not in progress any more, and stays. */
async function uncommitted(git: Git, tree: string): Promise<{ has(path: string): boolean }> {
  const head = await headCommit(git);
  if (head === null) return { has: () => true };
  return new Set((await changesBetween(git, `${head}^{tree}`, tree)).map(({ path }) => path));
}

const GONE = '000000';

async function apply(git: Git, place: Place, all: readonly Change[]): Promise<void> {
  for (const { path } of all.filter(({ mode }) => mode === GONE))
    await removeFile(findGit(git.root)?.worktree ?? git.root, path);
  const written = all.filter(({ mode }) => mode !== GONE);
  if (written.length === 0) return;
  const entries = written.map(entryOf).join('');
  await mkdir(scratchOf(place), { recursive: true });
  await withIndex(git, scratchOf(place), async (indexed) => {
    await gitText(indexed, ['read-tree', '--empty']);
    await gitText(indexed, ['update-index', '-z', '--index-info'], entries);
    await gitText(indexed, ['checkout-index', '--force', '--all']);
  });
}

/** And the folders that it leaves empty, as git would. */
async function removeFile(root: string, path: string): Promise<void> {
  // Through a link that somebody laid it would be somebody else's file.
  const folder = await realpath(join(root, dirname(path))).catch(() => null);
  if (folder !== join(await realpath(root), dirname(path))) return;
  await rm(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (
      !(await rmdir(join(root, folder)).then(
        () => true,
        () => false,
      ))
    )
      return;
}
