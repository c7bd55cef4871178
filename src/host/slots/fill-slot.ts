// Puts a commit's files into a slot, and takes what a session made of them. A warm slot only writes files that differ.
import { mkdirSync, rmSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { fileStamp } from '../../files/own-file.ts';
import { type Git, git, gitLine, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { isLoose } from '../git/loose-objects.ts';
import { copyIndex, newScratchFile, ownGit, scratchFolder } from '../git/own-git.ts';
import { isRalphs, pathText } from '../git/raw-path.ts';
import { type LeftOut, sortPaths } from '../git/work-tree.ts';
import { allEnded } from '../processes/all-ended.ts';
import { diskFull, isDiskFull, requireSpace } from './disk-space.ts';
import { removeLeftovers } from './leftovers.ts';
import { type Slot, stampFile } from './slot.ts';
import { isFolder, removeSlotGit, type SlotHead, writeSlotGit } from './slot-git.ts';

/** A large repository takes long to write. */
const FILL_TIMEOUT_MS = 1_800_000;

export type Filling = {
  head: SlotHead;
  /** The files to put there. They may differ from those of `head.commit`: the agent then finds uncommitted changes. */
  tree: string;
  /** Also removes ignored files. */
  isClean: boolean;
};

/** Returns whether the slot was empty before, so that it has to be set up. */
export const fillSlot = (slot: Slot, filling: Filling): Promise<{ isNew: boolean }> =>
  fill(slot, filling).catch(async () => {
    // A session may leave anything in its slot: a new one costs seconds.
    await removeUnfit(slot, filling);
    return fill(slot, filling).catch(async (error) => {
      // A half of it would only take room on a full disk.
      await removeUnfit(slot, filling);
      throw explained(slot, error);
    });
  });

/** Throws if there is no room for it. */
async function removeUnfit(slot: Slot, { tree }: Filling): Promise<void> {
  await removeSlot(slot);
  await requireSpace(slot, tree);
}

function explained(slot: Slot, error: NodeJS.ErrnoException): Error {
  if (isDiskFull(error)) return diskFull(slot, error);
  if (error instanceof MachineFailed || error.code === undefined) return error;
  return new MachineFailed(
    `Ralph cannot write the slot ${slot.folder} (${error.code}); check that folder, or name another as slots.folder.`,
    { cause: error },
  );
}

async function fill(slot: Slot, { head, tree, isClean }: Filling): Promise<{ isNew: boolean }> {
  const isNew = !isFolder(slot.folder) || !isFolder(slot.tree);
  if (isNew) await removeSlot(slot);
  mkdirSync(slot.tree, { recursive: true, mode: 0o700 });
  dropPeek(slot);
  rmSync(`${slot.index}.lock`, { force: true });
  const own = await slotIndex(slot);
  const options = { timeoutMs: FILL_TIMEOUT_MS };
  const headTree = await treeOfCommit(slot.repository, head.commit);
  const isOfHead = tree === head.commit || tree === headTree;
  const clean = () => git(own, ['clean', '-ffd', ...(isClean ? ['-x'] : [])], options);
  const mayBeReady = !isNew && !isClean && holdsTree(slot, isOfHead ? headTree : tree);
  // Beside each other: each takes milliseconds, and a session waits for all.
  const [isReady] = await allEnded([
    mayBeReady && holdsNothingElse(own),
    removeSlotGit(slot),
    emptyFolder(slot.tmp),
  ]);
  // Git overwrites whatever is in the way of these files. They come first: an earlier session may have changed what is ignored,
  // and what a setup made is ignored.
  if (!isReady) await git(own, ['read-tree', '--reset', '-u', tree], options);
  const cleaned = isNew || isReady ? null : await clean();
  // A new .gitignore hides files until it is removed.
  if (cleaned?.stdout.includes('.gitignore') && !isClean) await clean();
  if (!isOfHead) await git(own, ['read-tree', '--reset', head.commit], options);
  // The project may be a folder of which nothing is committed yet.
  mkdirSync(slot.root, { recursive: true, mode: 0o700 });
  await writeSlotGit(slot, head);
  rememberTree(slot, headTree);
  return { isNew };
}

/** Whether the files are those of the index, and nothing is there besides them and what is ignored. */
async function holdsNothingElse(own: Git): Promise<boolean> {
  const asked = ['ls-files', '-z', '--others', '--directory', '--modified', '--exclude-standard'];
  const { stdout } = await git(own, asked, { timeoutMs: FILL_TIMEOUT_MS });
  return stdout === '' || stdout === '.git/\0';
}

/** What the index of a slot holds, by its path. */
const knownIndexes = new Map<string, { tree: string; stamp: string | null }>();

const rememberTree = ({ index }: Slot, tree: string): void =>
  void knownIndexes.set(index, { tree, stamp: fileStamp(index) });

/** False if another process has written the index since: then git has to read the tree again. */
function holdsTree({ index }: Slot, tree: string): boolean {
  const knownIndex = knownIndexes.get(index);
  return knownIndex?.tree === tree && knownIndex.stamp === fileStamp(index);
}

/** `.git` of the slot is never part of the work, whatever an agent made of it. */
const slotIndex = (slot: Slot): Promise<Git> => ownGit(slot.repository, slot.index, slot.tree);

async function emptyFolder(folder: string): Promise<void> {
  await removeLeftovers(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Renamed first: what cannot be removed must not be in the way. Without its stamp, it is set up again. */
export async function removeSlot(slot: Pick<Slot, 'folder'>): Promise<void> {
  await rm(stampFile(slot), { force: true });
  const away = `${slot.folder}.removed-${crypto.randomUUID()}`;
  const isMoved = await rename(slot.folder, away).then(
    () => true,
    () => false,
  );
  if (isMoved) await removeFolder(away).catch(() => {});
}

/** Caches of package managers are often read-only. */
export async function removeFolder(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await makeWritable(folder);
    await remove();
  });
}

async function makeWritable(folder: string): Promise<void> {
  if (!isFolder(folder)) return;
  await chmod(folder, 0o700).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

type TakenWork = {
  tree: string;
  /** Files below `.ralph` that the session changed: they belong to the person and are in no tree. */
  definitions: readonly string[];
  left_out: readonly LeftOut[];
};

/** The files of a slot as a tree. `base`: the commit that they are compared with. */
export const takeSlot = async (slot: Slot, base: string, excluded: readonly string[]): Promise<TakenWork> =>
  (await take(slot, base, excluded)).taken;

async function take(
  slot: Slot,
  base: string,
  excluded: readonly string[],
): Promise<{ taken: TakenWork; kept: readonly string[] }> {
  const own = await slotIndex(slot);
  return holdingOffGc(slot.repository, async () => {
    const before = await adoptPeek(slot, base, excluded);
    if (before === null && !holdsTree(slot, await treeOfCommit(slot.repository, base)))
      await git(own, ['read-tree', '--reset', base]);
    const changed = await changedPaths(own, excluded);
    const definitions = changed.filter(isRalphs).map(pathText);
    const work = changed.filter((path) => !isRalphs(path));
    const { kept, gone, left_out } = await sortPaths(slot.tree, work);
    const update = (paths: readonly string[], ...how: string[]) =>
      git(own, ['update-index', '-z', ...how, '--stdin'], {
        input: paths.map((path) => `${path}\0`).join(''),
        timeoutMs: FILL_TIMEOUT_MS,
      });
    if (gone.length > 0) await update(gone, '--force-remove');
    if (kept.length > 0) await update(kept, '--add', '--remove', '--replace');
    const isSame = before !== null && gone.length + kept.length === 0;
    const tree = before !== null && isSame ? before : await gitLine(own, ['write-tree']);
    rememberTree(slot, tree);
    return { taken: { tree, definitions, left_out }, kept };
  });
}

async function changedPaths(own: Git, excluded: readonly string[]): Promise<string[]> {
  const { stdout } = await git(
    own,
    [
      'ls-files',
      '-z',
      '--others',
      '--modified',
      '--exclude-standard',
      ...excluded.map((path) => `--exclude=/${path.replace(/[[\]*?\\!# ]/g, '\\$&')}`),
    ],
    { timeoutMs: FILL_TIMEOUT_MS },
  );
  return [...new Set(stdout.split('\0').slice(0, -1))].filter((path) => path !== '.git/').sort();
}

type Peek = {
  index: string;
  stamp: string | null;
  base: string;
  excluded: string;
  tree: string;
  rules: Rules;
};

/** The last look at a slot, by the index of the slot. An agent that said done seldom changes a file after it. */
const peeks = new Map<string, Peek>();

/** The same with an index of its own: for a look while the supervisor may take the slot at the same time. */
export async function peekSlot(slot: Slot, base: string, excluded: readonly string[]): Promise<TakenWork> {
  const index = await newScratchFile(scratchFolder(slot.repository));
  const stamp = fileStamp(slot.index);
  try {
    // Otherwise git would have to read every file of the slot.
    await copyIndex(slot.index, index);
    const { taken, kept } = await take({ ...slot, index }, base, excluded);
    const rules = readRules(slot, kept);
    dropPeek(slot);
    peeks.set(slot.index, { index, stamp, base, excluded: excluded.join('\0'), tree: taken.tree, rules });
    return taken;
  } catch (error) {
    await rm(index, { force: true });
    throw error;
  }
}

/** By path: the stamps of the files that decide which files of their folder git sees, and how. */
type Rules = ReadonlyMap<string, string | null>;

/** Those of the folders around these paths. They may ignore themselves, so git need not list them as changed. */
function readRules({ tree }: Slot, paths: readonly string[]): Rules {
  const folders = new Set(
    paths.flatMap((path) => {
      const parts = pathText(path).split('/');
      return parts.map((_, nth) => parts.slice(0, nth).join('/'));
    }),
  );
  const files = [...folders].flatMap((folder) =>
    ['.gitignore', '.gitattributes'].map((name) => join(tree, folder, name)),
  );
  return new Map(files.map((file) => [file, ruleStamp(file)]));
}

function ruleStamp(file: string): string | null {
  try {
    return fileStamp(file);
  } catch {
    // Its folder is a file by now.
    return null;
  }
}

/** Lets the take go on from the last look. Returns its tree; null if there is none, or if the slot was taken or filled since. */
async function adoptPeek(slot: Slot, base: string, excluded: readonly string[]): Promise<string | null> {
  const peek = peeks.get(slot.index);
  if (peek === undefined) return null;
  // Another look that ends meanwhile must not remove its file.
  peeks.delete(slot.index);
  try {
    const isOfNow =
      peek.base === base && peek.excluded === excluded.join('\0') && peek.stamp === fileStamp(slot.index);
    const isRuledAlike = [...peek.rules].every(([file, stamp]) => ruleStamp(file) === stamp);
    // Until a ref holds them, `git gc --prune=now` may remove its objects.
    if (!isOfNow || !isRuledAlike || !isLoose(slot.repository, peek.tree)) return null;
    // Renamed: after a kill in the middle, the next run must be able to read the index.
    await copyIndex(peek.index, `${slot.index}.new`);
    await rename(`${slot.index}.new`, slot.index);
    return peek.tree;
  } finally {
    await rm(peek.index, { force: true });
  }
}

function dropPeek({ index }: Slot): void {
  const peek = peeks.get(index);
  peeks.delete(index);
  if (peek !== undefined) rmSync(peek.index, { force: true });
}

/** What a tree cannot hold would be lost with the slot, so a person hears of it before a done is proven. */
export function requireWhole(task_id: number, { left_out }: TakenWork, slot: Slot): void {
  const [found] = left_out;
  if (found === undefined) return;
  const name = pathText(found.path);
  const what =
    found.why === 'repository'
      ? `a git repository of its own in ${name}, and a commit cannot hold its files`
      : found.why === 'size'
        ? `${name} (${(found.bytes / 2 ** 20).toFixed(0)} MB), and Ralph commits no file over 100 MB`
        : `${name}, which Ralph may not read`;
  throw new NeedsPerson(
    `Task ${task_id} left ${what}. It is in ${join(slot.tree, name)} until the next session. Say what the agent should do instead, as the answer to this question.`,
  );
}
