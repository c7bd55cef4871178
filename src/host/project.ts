import { existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import type { WorkTrees } from '../domain/sessions/session.ts';
import { findGit, isStateOnly } from './git/git-directory.ts';

export type ProjectPlace = { root: string; stateDir: string };

/** The nearest folder with a `.ralph`, from here upwards. */
export function findProject(start: string): ProjectPlace {
  requireFolder(start);
  for (let folder = realpathSync.native(start); ; folder = dirname(folder)) {
    if (isProject(folder)) {
      requireInside(folder);
      const stateDir = findStateDir(folder);
      requireNoLink(stateDir);
      requireNoLink(databasePath(stateDir));
      requireNoLink(databaseRecord(stateDir));
      return { root: folder, stateDir };
    }
    if (folder === dirname(folder)) {
      throw new Refusal(
        `There is no .ralph folder in ${resolve(start)} or above it; run ralph init there first.`,
      );
    }
  }
}

/** A project whose `.ralph` was removed still has its queue, and a session at work there can still report on its task. */
export const isProject = (folder: string): boolean =>
  statSync(join(folder, '.ralph'), { throwIfNoEntry: false })?.isDirectory() === true ||
  hasQueue(findStateDir(folder));

/** Through a `.ralph` that is a link Ralph would write outside the project. */
export function requireInside(root: string): void {
  for (const name of ['.ralph', join('.ralph', 'state')]) {
    const path = join(root, name);
    if (existsSync(path) && relative(realpathSync.native(root), realpathSync.native(path)).startsWith('..')) {
      throw new Refusal(`${path} is a link that leaves the project; put a folder in its place.`);
    }
  }
}

/** Through a link Ralph would show and change another project's queue. */
function requireNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Refusal(`${path} is a link; the state of a project is its own. Remove the link.`);
}

export function requireFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(`${path} is not a folder; give the folder of a project.`);
  }
}

export const databasePath = (stateDir: string): string => join(stateDir, 'ralph.db');

/** Names the database of a queue that is not in the file beside it. */
export const databaseRecord = (stateDir: string): string => join(stateDir, 'database.json');

/** Whether this state has a queue, here or in another database. */
export const hasQueue = (stateDir: string): boolean =>
  existsSync(databasePath(stateDir)) || existsSync(databaseRecord(stateDir));

/** In the git directory that all work trees share, safe from `git clean`; beside the definitions without git. */
export function findStateDir(root: string): string {
  const beside = join(root, '.ralph', 'state');
  const git = findGit(root) ?? removedGit(root);
  // A project that became a repository later keeps its queue.
  if (git === null || hasQueue(beside)) return beside;
  const below = relative(git.worktree, root);
  const shared = join(git.commonDir, 'ralph');
  // Several projects in one repository: each has its own queue.
  return below === '' ? shared : join(shared, 'projects', below, '@');
}

/** This work tree of the project, and a test whether another folder is one as well. */
export const projectWorkTrees = ({ root, stateDir }: ProjectPlace): WorkTrees => ({
  root,
  has: (folder) => isWorkTree(folder, stateDir),
});

function isWorkTree(folder: string, stateDir: string): boolean {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  try {
    return realpathSync.native(findStateDir(folder)) === realpathSync.native(stateDir);
  } catch (error) {
    // A work tree whose git is broken can be repaired, and still has its files; another project has different state.
    return error instanceof Refusal;
  }
}

/** The place of a removed repository, if a run has restored the queue there since. */
function removedGit(root: string): { worktree: string; commonDir: string } | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (isStateOnly(folder)) return { worktree: folder, commonDir: join(folder, '.git') };
    if (folder === dirname(folder)) return null;
  }
}

/** The folder that must exist for Ralph to restore the state. */
export function stateOwner({ root, stateDir }: ProjectPlace): string {
  const git = isBesideDefinitions({ root, stateDir }) ? null : (findGit(root) ?? removedGit(root));
  return git === null ? root : dirname(git.commonDir);
}

/** True for a project that had no git when its queue was made. */
const isBesideDefinitions = ({ root, stateDir }: ProjectPlace): boolean =>
  stateDir.startsWith(join(root, '.ralph'));

/** The state belongs into a git directory, and there is none any more. */
export const isRepositoryGone = (place: ProjectPlace): boolean =>
  !isBesideDefinitions(place) && findGit(place.root) === null;

/** State beside the definitions must not get into a repository that is created around it later. */
export function keepOutOfGit(place: ProjectPlace): void {
  const ignore = join(place.stateDir, '.gitignore');
  if (!isBesideDefinitions(place) || existsSync(ignore)) return;
  mkdirSync(place.stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(ignore, '*\n');
}
