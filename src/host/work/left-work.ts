// What an agent had made when its Ralph was killed: whatever a person changes after that is not the task's work.
import type { Place } from '../git/own-git.ts';
import { holdTree, provenRef } from '../git/refs.ts';
import { takeTree } from '../git/work-tree.ts';
import { readBase, writeBaseFile } from './session-base.ts';

/** A session whose agent works in a tree. */
export type Working = Place & { session_id: string; task_id: number };

export async function recordLeftWork({ session_id, task_id, ...place }: Working): Promise<void> {
  const base = await readBase(place, session_id);
  if (base === null || base.left !== undefined) return;
  const taken = await takeTree(place, base.tree);
  // A run that was started meanwhile has seen to it.
  if (taken === null || (await readBase(place, session_id))?.left !== undefined) return;
  await holdTree(place, provenRef(task_id), taken.tree);
  await writeBaseFile(place, session_id, { ...base, left: taken.tree });
}
