// Ralph's own refs hold the objects that it needs until a task is settled: git gc removes objects that no ref holds.
import { type Git, git } from './git.ts';
import { commitAt, findGit } from './git-directory.ts';

/** The tree before a task's work. */
export const baseRef = (task_id: number): string => `refs/ralph/base/${task_id}`;
/** The tree that the gates saw. */
export const provenRef = (task_id: number): string => `refs/ralph/proven/${task_id}`;
/** The unfinished work of a task, as a commit on top of its base. */
export const workRef = (task_id: number): string => `refs/ralph/task-${task_id}`;

export const holdTree = async (repository: Git, ref: string, tree: string): Promise<void> => {
  const place = findGit(repository.root);
  if (place === null || commitAt(place, ref) !== tree) await git(repository, ['update-ref', ref, tree]);
};

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

/** The tasks that still have a ref, each once. */
export async function tasksWithRefs(repository: Git): Promise<number[]> {
  if (findGit(repository.root) === null) return [];
  const { stdout } = await git(repository, ['for-each-ref', '--format=%(refname)', 'refs/ralph/']);
  const ids = [...stdout.matchAll(/^refs\/ralph\/(?:base\/|proven\/|task-)(\d+)$/gm)];
  return [...new Set(ids.map((match) => Number(match[1])))];
}
