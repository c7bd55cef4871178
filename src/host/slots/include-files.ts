// Copies the ignored files that `.worktreeinclude` names, such as `.env`, from the checkout into a slot, and knows their secrets.
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addFileSecrets } from '../../domain/secrets/file-secrets.ts';
import { secretsInFile } from '../../domain/secrets/secrets-in-file.ts';
import { git, headCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { type Place, withHeadIndex } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Slot } from './slot.ts';

const INCLUDE_FILE = '.worktreeinclude';

/** Paths of ignored files that the person wants in every slot, relative to the top of the repository. */
export async function includedFiles(repository: Place): Promise<string[]> {
  const worktree = findGit(repository.root)?.worktree ?? repository.root;
  const list = join(worktree, INCLUDE_FILE);
  if (!(await isPlainFile(list))) return [];
  return withHeadIndex(repository, await headCommit(repository), async (own) => {
    const listed = async (...how: string[]): Promise<string[]> =>
      (await git(own, ['ls-files', '-z', '--others', '--ignored', ...how])).stdout.split('\0').slice(0, -1);
    const named = await listed(`--exclude-from=${list}`);
    const ignored = new Set(named.length === 0 ? [] : await listed('--exclude-standard'));
    return named
      .filter((path) => ignored.has(path))
      .map(pathText)
      .sort();
  });
}

/** Never through a link, on either side: a link could lead out of the repository or out of the slot. */
export async function includeFiles({ repository, tree }: Slot, paths: readonly string[]): Promise<void> {
  const worktree = findGit(repository.root)?.worktree ?? repository.root;
  for (const path of paths) {
    const [from, to] = [join(worktree, path), join(tree, path)];
    if (!(await isPlainFile(from)) || !(await hasPlainParents(tree, path))) continue;
    await mkdir(dirname(to), { recursive: true });
    const there = await lstat(to).catch(() => null);
    if (there !== null && !there.isFile()) continue;
    // A session may have made it read-only, or a hard link to another file.
    await rm(to, { force: true });
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await addSecretsOf(to, repository.env);
  }
}

/** Masks and looks for the secrets that these files hold now, from here on: a person may change them during a run. */
export async function addIncludedSecrets(repository: Place): Promise<void> {
  const worktree = findGit(repository.root)?.worktree;
  if (worktree === undefined) return;
  for (const path of await includedFiles(repository))
    await addSecretsOf(join(worktree, path), repository.env);
}

/** The same for the copies in a slot. */
export async function addCopiedSecrets({ repository, tree }: Slot, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    if (await hasPlainParents(tree, path)) await addSecretsOf(join(tree, path), repository.env);
}

/** A larger file is no list of settings, and every value is looked for in every text. */
const MAX_BYTES = 256 * 1024;

async function addSecretsOf(file: string, env: Environment): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > MAX_BYTES) return;
  const content = await readFile(file).catch(() => null);
  if (content === null || content.includes(0)) return;
  addFileSecrets(env, secretsInFile(content.toString('utf8')));
}

const isPlainFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isFile() ?? false;

async function hasPlainParents(tree: string, path: string): Promise<boolean> {
  const parents = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= parents.length; depth++) {
    const found = await lstat(join(tree, ...parents.slice(0, depth))).catch(() => null);
    if (found !== null && !found.isDirectory()) return false;
  }
  return true;
}
