// A git directory of Ralph's own, with an index of its own, over the person's objects. What an agent writes into .git (configuration,
// flags in the index, excludes, attributes, filters, sparse checkouts) has no say in what Ralph sees of the work tree.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isAlive } from '../processes/process-identity.ts';
import { type Git, git, gitLine, headCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { putBackExcludes, writeSettings } from './own-settings.ts';

export type Place = Git & { stateDir: string };

/** One a work tree: all of them share the state. */
export function ownFolder({ root, stateDir }: Pick<Place, 'root' | 'stateDir'>): string {
  const worktree = findGit(root)?.worktree ?? root;
  return join(stateDir, 'worktrees', createHash('sha256').update(worktree).digest('hex').slice(0, 16));
}

const ownGitDir = (place: Place): string => join(ownFolder(place), 'git');

/**
 * Reads what a person has configured, before an agent runs: from here on only this counts, until the next session begins.
 */
export async function adoptSettings(place: Place): Promise<void> {
  const found = findGit(place.root);
  if (found === null) return;
  await writeSettings(place, found, ownGitDir(place));
  // What is ignored now stays so for the session: an agent that rewrites .gitignore must not bring a person's files into its commit.
  const patterns = await ignoredPaths(place);
  if (patterns !== '')
    await appendFile(join(ownGitDir(place), 'info', 'exclude'), Buffer.from(patterns, 'latin1'));
}

/** True where somebody changed what the repository excludes: from the next session on that would hide files of an agent's. */
export async function restoreExcludes(place: Place): Promise<boolean> {
  const found = findGit(place.root);
  return found !== null && (await putBackExcludes(found, ownGitDir(place)));
}

/** Each as a pattern that means this path and nothing else. */
async function ignoredPaths(place: Place): Promise<string> {
  const { stdout } = await withHeadIndex(place, await headCommit(place), (own) =>
    git(own, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']),
  );
  const paths = stdout.split('\0').filter((path) => path !== '' && !path.includes('\n'));
  return paths.map((path) => `/${path.replace(/[[\]*?\\!# ]/g, '\\$&')}\n`).join('');
}

/** Git as it sees the work tree by Ralph's own settings. Nothing of the repository's configuration is read. */
async function ownGit(place: Place, index: string): Promise<Git> {
  const found = findGit(place.root);
  if (found === null) throw new Error(`${place.root} is in no git repository.`);
  if (!existsSync(join(ownGitDir(place), 'config'))) await adoptSettings(place);
  return {
    root: found.worktree,
    env: place.env,
    overrides: {
      GIT_DIR: ownGitDir(place),
      GIT_WORK_TREE: found.worktree,
      GIT_OBJECT_DIRECTORY: join(found.commonDir, 'objects'),
      GIT_INDEX_FILE: index,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  };
}

/** Works on an index that nobody else sees, and that begins empty. */
export async function withEmptyIndex<T>(place: Place, work: (own: Git) => Promise<T>): Promise<T> {
  const index = await newIndexIn(scratchOf(place));
  try {
    return await work(await ownGit(place, index));
  } finally {
    await rm(index, { force: true });
  }
}

/**
 * Works on an index that holds what the commit has. It is kept from one time to the next, because it knows which files are
 * unchanged: without it each of them would be read and hashed again.
 */
export async function withHeadIndex<T>(
  place: Place,
  head: string | null,
  work: (own: Git) => Promise<T>,
): Promise<T> {
  const kept = join(ownFolder(place), 'index');
  const index = await newIndexIn(scratchOf(place));
  try {
    await copyIndex(kept, index);
    const own = await ownGit(place, index);
    const reset = head === null ? ['read-tree', '--empty'] : ['read-tree', '--reset', head];
    await git(own, reset).catch(async () => {
      // Only a cache: one that cannot be read is made anew.
      await rm(index, { force: true });
      await git(own, reset);
    });
    const result = await work(own);
    await rename(index, kept);
    return result;
  } finally {
    await rm(index, { force: true });
  }
}

/** Works on an index as `withHeadIndex` has left it last; `otherwise` where there is none. */
export async function withLastIndex<T>(
  place: Place,
  work: (own: Git) => Promise<T>,
  otherwise: T,
): Promise<T> {
  const index = await newIndexIn(scratchOf(place));
  try {
    await copyIndex(join(ownFolder(place), 'index'), index);
    return existsSync(index) ? await work(await ownGit(place, index)) : otherwise;
  } finally {
    await rm(index, { force: true });
  }
}

/** The tree with these entries put over it, each as `update-index --index-info` reads it. */
export async function treeWith(place: Place, tree: string, entries: string): Promise<string> {
  return withEmptyIndex(place, async (own) => {
    await git(own, ['read-tree', tree]);
    if (entries !== '') await git(own, ['update-index', '-z', '--index-info'], { input: entries });
    return gitLine(own, ['write-tree']);
  });
}
// Copies of the index that git works on. Each is named after the process that made it, so that those of the dead can be told.

export const scratchOf = ({ stateDir }: { stateDir: string }): string => join(stateDir, 'scratch');

export async function newIndexIn(scratch: string): Promise<string> {
  await mkdir(scratch, { recursive: true });
  const { pid, process_started } = identify(process.pid);
  return join(scratch, `index-${pid}.${process_started ?? ''}-${crypto.randomUUID()}`);
}

/** Its age must be the original's, by which git tells the files that it cannot be sure of. Where there is none, none is made. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
}

/** What a process that was killed could not remove. */
export async function removeDeadScratch(place: { stateDir: string }): Promise<void> {
  const scratch = scratchOf(place);
  for (const name of await readdir(scratch).catch(() => [])) {
    const made = /^index-(\d+)\.(\d*)-/.exec(name);
    if (made === null) continue;
    const by = { pid: Number(made[1]), process_started: made[2] || null };
    if (!isAlive(by)) await rm(join(scratch, name), { force: true });
  }
}
