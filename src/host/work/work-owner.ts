// Whose unfinished work lies in the work tree.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { ownFolder, type Place } from '../git/own-git.ts';
import { mayExist, workRef } from '../git/refs.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import type { SessionBase } from './session-base.ts';

/** The task whose unfinished work is in the tree, and the tree before it. */
export type Owner = {
  task_id: number;
  base: SessionBase;
  /** HEAD before the work. */
  head?: string | null;
  /** The tree as the last session left it; later changes are a person's. */
  left?: string;
  /** While the work is taken out of the tree: the tree that held all of it. */
  leaving?: string;
  /** While the work is put back into the tree. */
  returning?: true;
};

/** One file for each work tree: a task that began in another one has its work there. */
export const ownerFile = (place: Place): string => join(ownFolder(place), 'work-in-progress.json');

export async function readOwner(place: Place): Promise<Owner | null> {
  const text = await readFile(ownerFile(place), 'utf8').catch(() => null);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    throw new Refusal(
      `${ownerFile(place)} cannot be read, so Ralph does not know whose unfinished work lies in the tree; look at git status, then remove that file.`,
    );
  }
}

export const writeOwner = (place: Place, owner: Owner): Promise<void> =>
  writeFileWhole(ownerFile(place), JSON.stringify(owner), { mode: PRIVATE_FILE });

/** The task whose session left changes in the work tree; null where no session did. */
export async function taskInTree(place: Place): Promise<number | null> {
  const owner = await readOwner(place);
  const isLeft = owner?.left !== undefined && owner.left !== owner.base.tree && owner.leaving === undefined;
  return isLeft ? owner.task_id : null;
}

/** Null where nothing of this task is saved. */
export async function findSavedWork(place: Place, task_id: number): Promise<'in tree' | 'set aside' | null> {
  if (!mayExist(place, workRef(task_id))) return null;
  return (await taskInTree(place)) === task_id ? 'in tree' : 'set aside';
}
