// What one kind of process finds in its sandbox besides the tools: its files, its home, and what git needs of the repository.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import type { Slot } from '../slots/slot.ts';
import type { Mount } from './bwrap.ts';
import { objectFolders } from './guarded.ts';

/** Whose process it is: only agents reach the model. */
export type Inmate = 'agent' | 'gate';

export type Inside = {
  inmate: Inmate;
  /** Looked up when a command starts. */
  mounts(): Mount[];
  /** Stands in the place of the person's home. Null where HOME names another folder, as for gates. */
  home: string | null;
  /** Whether the home is removed when the agent has ended. */
  isBrief?: boolean;
};

export const insideSlot = (slot: Slot, inmate: Inmate, access: 'read' | 'write' = 'write'): Inside => ({
  inmate,
  mounts: () => [
    ...objects(slot.repository),
    { kind: access, path: slot.tree },
    { kind: 'write', path: slot.tmp },
  ],
  home: slot.kind === 'work' ? join(slot.folder, 'home') : null,
});

/** In the checkout itself: its files, but neither Ralph's state and definitions nor what git would execute. */
export const insideCheckout = (
  place: Place,
  inmate: Inmate,
  { home, access = 'write' }: { home: string | null; access?: 'read' | 'write' },
): Inside => ({
  inmate,
  mounts: () => {
    const found = findGit(place.root);
    const guarded = found === null ? [] : [join(found.commonDir, 'hooks'), join(found.commonDir, 'config')];
    // Of a linked work tree: these files say where the repository is.
    const pointers = found === null ? [] : [join(found.worktree, '.git'), join(found.gitDir, 'commondir')];
    const linked = found === null ? [] : [found.commonDir, found.gitDir];
    const top = found?.worktree ?? place.root;
    // A folder that is missing could be made: then git would execute what is in it.
    if (found !== null) mkdirSync(join(found.commonDir, 'hooks'), { recursive: true });
    return [
      ...objects(place),
      ...[...foldersBetween(top, place.root), ...linked].map((path): Mount => ({ kind: access, path })),
      ...[...guarded, ...pointers.filter(isFile), join(place.root, '.ralph')]
        .filter((path) => existsSync(path))
        .map((path): Mount => ({ kind: 'read', path })),
      { kind: 'empty', path: place.stateDir },
    ];
  },
  home,
  isBrief: true,
});

/** Each a mount of its own: no process can move that away and put another `.ralph` in its place. */
function foldersBetween(top: string, root: string): string[] {
  const names = relative(top, root).split(sep).filter(Boolean);
  return [top, ...names.map((_, index) => join(top, ...names.slice(0, index + 1)))];
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const objects = (repository: Place): Mount[] =>
  objectFolders(repository, readOrNull).map((path) => ({ kind: 'read', path }));

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Of an agent that works in no slot, or that only reads one. It is removed when the agent has ended. */
export const sessionHome = (slotsFolder: string, id: string): string => join(slotsFolder, 'homes', id);
