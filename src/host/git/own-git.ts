// Ralph's own git directory, with its own index, over the person's objects. What an agent writes into .git (configuration, index
// flags, excludes, attributes, filters, sparse checkouts) does not change what Ralph sees of the work tree.
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { allEnded } from '../processes/all-ended.ts';
import { identify, isAlive } from '../processes/process-identity.ts';
import { type Git, git, gitLine, headCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { findLastTake } from './last-take.ts';
import { cachedIndex, ownGitDir } from './own-folder.ts';
import { putBackExcludes, writeSettings } from './own-settings.ts';

export type Place = Git & { stateDir: string };

/** Reads the person's configuration before an agent runs. Only this counts until the next session begins. */
export const adoptSettings = (place: Place): Promise<void> => adoptingSettings(place, async () => {});

/** The same beside work that changes no file: both wait for git. */
export async function adoptingSettings<T>(place: Place, work: () => Promise<T>): Promise<T> {
  const found = findGit(place.root);
  if (found === null) return work();
  await writeSettings(place, found, ownGitDir(place));
  const [result, patterns] = await allEnded([work(), ignoredPaths(place)]);
  // Ignored files stay ignored for the session: an agent that rewrites .gitignore must not commit a person's files.
  if (patterns !== '')
    await appendFile(join(ownGitDir(place), 'info', 'exclude'), Buffer.from(patterns, 'latin1'));
  return result;
}

/** True if the repository's excludes were changed: from the next session on that would hide an agent's files. */
export async function restoreExcludes(place: Place): Promise<boolean> {
  const found = findGit(place.root);
  return found !== null && (await putBackExcludes(found, ownGitDir(place)));
}

/** Each path as a pattern that matches only this path. */
async function ignoredPaths(place: Place): Promise<string> {
  const head = await headCommit(place);
  const list = (own: Git) =>
    git(own, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']);
  const isTaken = (await findLastTake(place, head)) !== null;
  const { stdout } =
    (isTaken && (await withLastIndex(place, list, null))) || (await withHeadIndex(place, head, list));
  const paths = stdout.split('\0').filter((path) => path !== '' && !path.includes('\n'));
  return paths.map((path) => `/${path.replace(/[[\]*?\\!# ]/g, '\\$&')}\n`).join('');
}

/**
 * Git with Ralph's own settings. It reads nothing of the repository's configuration. `worktree`: another folder with files of
 * this repository, instead of the person's checkout.
 */
export async function ownGit(place: Place, index: string, worktree?: string): Promise<Git> {
  const found = findGit(place.root);
  if (found === null) throw new Error(`${place.root} is in no git repository.`);
  if (!existsSync(join(ownGitDir(place), 'config'))) await adoptSettings(place);
  const files = worktree ?? found.worktree;
  return {
    root: files,
    env: place.env,
    overrides: {
      GIT_DIR: ownGitDir(place),
      GIT_WORK_TREE: files,
      GIT_OBJECT_DIRECTORY: join(found.commonDir, 'objects'),
      GIT_INDEX_FILE: index,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  };
}

/** Works on a private index that starts empty. */
export async function withEmptyIndex<T>(place: Place, work: (own: Git) => Promise<T>): Promise<T> {
  const index = await newScratchFile(scratchFolder(place));
  try {
    return await work(await ownGit(place, index));
  } finally {
    await rm(index, { force: true });
  }
}

/** Works on an index that holds the commit, and caches what `work` made of it. */
export const withHeadIndex = <T>(
  place: Place,
  head: string | null,
  work: (own: Git, index: string) => Promise<T>,
): Promise<T> =>
  withIndexCopy(place, async (own, index) => {
    const reset = head === null ? ['read-tree', '--empty'] : ['read-tree', '--reset', head];
    await git(own, reset).catch(async () => {
      // It is only a cache: git builds an unreadable one again.
      await rm(index, { force: true });
      await git(own, reset);
    });
    const result = await work(own, index);
    await rename(index, cachedIndex(place));
    return result;
  });

/**
 * Works on the index that was cached last; returns `otherwise` if there is none. It stays in the cache as it was, unless `work`
 * calls `replace`.
 */
export async function withLastIndex<T>(
  place: Place,
  work: (own: Git, index: string, replace: () => Promise<void>) => Promise<T>,
  otherwise: T,
): Promise<T> {
  if (!existsSync(cachedIndex(place))) return otherwise;
  return withIndexCopy(place, (own, index) => work(own, index, () => rename(index, cachedIndex(place))));
}

async function withIndexCopy<T>(place: Place, work: (own: Git, index: string) => Promise<T>): Promise<T> {
  const index = await newScratchFile(scratchFolder(place));
  try {
    await copyIndex(cachedIndex(place), index);
    return await work(await ownGit(place, index), index);
  } finally {
    await rm(index, { force: true });
  }
}

/** The tree with these entries added, in the format of `update-index --index-info`. */
export async function treeWith(place: Place, tree: string, entries: string): Promise<string> {
  return withEmptyIndex(place, async (own) => {
    await git(own, ['read-tree', tree]);
    if (entries !== '') await git(own, ['update-index', '-z', '--index-info'], { input: entries });
    return gitLine(own, ['write-tree']);
  });
}

export const scratchFolder = ({ stateDir }: { stateDir: string }): string => join(stateDir, 'scratch');

/** For files that the hooks of the repository read and write: the only scratch files that a sandbox shows. */
export const hookScratch = (place: { stateDir: string }): string => join(scratchFolder(place), 'hooks');

/** The name holds the process that made the file or folder, so that Ralph can remove those of dead processes. */
export async function newScratchFile(scratch: string): Promise<string> {
  await mkdir(scratch, { recursive: true });
  const { pid, process_started } = identify(process.pid);
  return join(scratch, `index-${pid}.${process_started ?? ''}-${crypto.randomUUID()}`);
}

/** Keeps the age of the index: git uses it to find files that it has to read again. Does nothing without an index. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  // Never later than it was: git would believe a file that was changed right after.
  await utimes(to, found.atime, Math.floor(found.mtimeMs) / 1_000);
}

/** Removes the scratch files of processes that were killed. */
export async function removeDeadScratch(place: { stateDir: string }): Promise<void> {
  for (const scratch of [scratchFolder(place), hookScratch(place)]) await removeDeadIn(scratch);
}

async function removeDeadIn(scratch: string): Promise<void> {
  for (const name of await readdir(scratch).catch(() => [])) {
    const made = /^index-(\d+)\.(\d*)-/.exec(name);
    if (made === null) continue;
    const by = { pid: Number(made[1]), process_started: made[2] || null };
    if (!isAlive(by)) await rm(join(scratch, name), { recursive: true, force: true });
  }
}
