// What one kind of process finds in its sandbox besides the tools: its files, its home, and what git needs of the repository.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const linked = found === null ? [] : [found.commonDir, found.gitDir];
    // A folder that is missing could be made: then git would execute what is in it.
    if (found !== null) mkdirSync(join(found.commonDir, 'hooks'), { recursive: true });
    return [
      ...objects(place),
      ...[found?.worktree ?? place.root, ...linked].map((path): Mount => ({ kind: access, path })),
      ...[...guarded, join(place.root, '.ralph')]
        .filter((path) => existsSync(path))
        .map((path): Mount => ({ kind: 'read', path })),
      { kind: 'empty', path: place.stateDir },
    ];
  },
  home,
  isBrief: true,
});

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
