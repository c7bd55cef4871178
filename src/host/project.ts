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
      const stateDir = stateDirOf(folder);
      requireNoLink(stateDir);
      requireNoLink(databasePath(stateDir));
      return { root: folder, stateDir };
    }
    if (folder === dirname(folder)) {
      throw new Refusal(
        `There is no .ralph folder in ${resolve(start)} or above it; run ralph init there first.`,
      );
    }
  }
}

/** One whose `.ralph` somebody removed still has its queue, and a session that is at work there still speaks for its task. */
export const isProject = (folder: string): boolean =>
  statSync(join(folder, '.ralph'), { throwIfNoEntry: false })?.isDirectory() === true ||
  existsSync(databasePath(stateDirOf(folder)));

/** A `.ralph` that is a link to elsewhere would have Ralph write there. */
export function requireInside(root: string): void {
  for (const name of ['.ralph', join('.ralph', 'state')]) {
    const path = join(root, name);
    if (existsSync(path) && relative(realpathSync.native(root), realpathSync.native(path)).startsWith('..')) {
      throw new Refusal(`${path} is a link that leaves the project; put a folder in its place.`);
    }
  }
}

/** Somebody else's queue would be shown, and written to. */
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

/** In the git directory all work trees share, out of reach of `git clean`; beside the definitions where there is no git. */
export function stateDirOf(root: string): string {
  const beside = join(root, '.ralph', 'state');
  const git = findGit(root) ?? removedGit(root);
  // A project that got its git later keeps the queue it has.
  if (git === null || existsSync(databasePath(beside))) return beside;
  const below = relative(git.worktree, root);
  const shared = join(git.commonDir, 'ralph');
  // Several projects in one repository: each has a queue of its own.
  return below === '' ? shared : join(shared, 'projects', below, '@');
}

/** This work tree of the project, and whether another folder is one as well. */
export const workTreesOf = ({ root, stateDir }: ProjectPlace): WorkTrees => ({
  root,
  has: (folder) => isWorkTree(folder, stateDir),
});

function isWorkTree(folder: string, stateDir: string): boolean {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  try {
    return realpathSync.native(stateDirOf(folder)) === realpathSync.native(stateDir);
  } catch (error) {
    // A work tree whose git is broken can be repaired, and its files are there; a project of its own has other state.
    return error instanceof Refusal;
  }
}

/** Where a repository was, if a run has put the queue back there since. */
function removedGit(root: string): { worktree: string; commonDir: string } | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (isStateOnly(folder)) return { worktree: folder, commonDir: join(folder, '.git') };
    if (folder === dirname(folder)) return null;
  }
}

/** The folder without which there is nothing to put the state back into. */
export function stateOwner({ root, stateDir }: ProjectPlace): string {
  const git = isBesideDefinitions({ root, stateDir }) ? null : (findGit(root) ?? removedGit(root));
  return git === null ? root : dirname(git.commonDir);
}

/** For a project that had no git when its queue was made. */
export const isBesideDefinitions = ({ root, stateDir }: ProjectPlace): boolean =>
  stateDir.startsWith(join(root, '.ralph'));

/** The state is where a git directory was, and there is none. */
export const isRepositoryGone = (place: ProjectPlace): boolean =>
  !isBesideDefinitions(place) && findGit(place.root) === null;

/** State beside the definitions must not end up in a repository that is made around it later. */
export function keepOutOfGit(place: ProjectPlace): void {
  const ignore = join(place.stateDir, '.gitignore');
  if (!isBesideDefinitions(place) || existsSync(ignore)) return;
  mkdirSync(place.stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(ignore, '*\n');
}

/** Where a session keeps what it was given and what it said. */
export const sessionDir = (stateDir: string, session_id: string): string =>
  join(stateDir, 'sessions', session_id);

/** The same for a session that plans: it has no task, and no row in the database. */
export const planningDir = (stateDir: string, session_id: string): string =>
  join(stateDir, 'planning', session_id);

/** The copy of the queue that a planning session works on. */
export const copyPath = (stateDir: string, session_id: string): string =>
  databasePath(planningDir(stateDir, session_id));
