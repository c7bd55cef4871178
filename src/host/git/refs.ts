// Ralph's own refs hold the objects that it needs until a task is settled: git gc removes objects that no ref holds.
import { type Git, git } from './git.ts';
import { commitAt, findGit } from './git-directory.ts';

/** The unfinished work of a task, as a commit on top of its base. */
export const workRef = (task_id: number): string => `refs/ralph/task-${task_id}`;

/** Starts git only if one of the refs may exist, because a process costs more than reading files. */
export async function dropRefs(repository: Git, refs: readonly string[]): Promise<void> {
  const there = refs.filter((ref) => mayExist(repository, ref));
  if (there.length === 0) return;
  await git(repository, ['update-ref', '--stdin'], { input: there.map((ref) => `delete ${ref}\n`).join('') });
}

/** Reads files only: false only if the ref certainly does not exist. */
export function mayExist({ root }: Pick<Git, 'root'>, ref: string): boolean {
  const place = findGit(root);
  return place !== null && commitAt(place, ref) !== null;
}
