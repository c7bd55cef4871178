// Where the changes of a task lie that no commit holds yet, for a person who wants to see or drop them.
import type { Place } from '../git/own-git.ts';
import { mayExist, workRef } from '../git/refs.ts';
import { readOwner } from './work-owner.ts';

/** The task whose session left changes in the work tree; null where no session did. */
export async function taskInTree(place: Place): Promise<number | null> {
  const owner = await readOwner(place);
  const isLeft = owner?.left !== undefined && owner.left !== owner.base.tree && owner.leaving === undefined;
  return isLeft ? owner.task_id : null;
}

/** Null where nothing of this task is saved. */
export async function savedWorkOf(place: Place, task_id: number): Promise<'in tree' | 'set aside' | null> {
  if (!mayExist(place, workRef(task_id))) return null;
  return (await taskInTree(place)) === task_id ? 'in tree' : 'set aside';
}
