// Ralph's own refs hold the objects that it needs until a task is settled: git gc removes objects that no ref holds.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Git, git } from './git.ts';
import { commitAt, findGit, type GitPlace, isPackedBeside } from './git-directory.ts';
import { isLoose, isShared } from './loose-objects.ts';

/** The unfinished work of a task, as a commit on top of its base. */
export const workRef = (task_id: number): string => `refs/ralph/task-${task_id}`;

/** Sets one of Ralph's own refs, wherever it is. On disk when it resolves. */
export async function holdCommit(repository: Git, ref: string, commit: string): Promise<void> {
  if (!writeRefFile(repository, ref, commit)) await git(repository, ['update-ref', ref, commit]);
}

/** By git's rules: within the lock of the ref, which is then renamed to it. False if git has to do it, and to say what is wrong. */
function writeRefFile({ root }: Git, ref: string, commit: string): boolean {
  const place = findGit(root);
  if (place === null || !isPlain(place, ref)) return false;
  // Git refuses a commit that is missing, and finds one that is packed.
  if (!isLoose({ root }, commit)) return false;
  const file = join(place.commonDir, ref);
  let descriptor: number | null = null;
  try {
    mkdirSync(dirname(file), { recursive: true });
    descriptor = openSync(`${file}.lock`, 'wx');
    writeFileSync(descriptor, `${commit}\n`);
    fsyncSync(descriptor);
    renameSync(`${file}.lock`, file);
    return true;
  } catch {
    if (descriptor !== null) rmSync(`${file}.lock`, { force: true });
    return false;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** False for a table instead of files, for rights that git has to set, and beside a ref with which git could not have this one. */
function isPlain(place: GitPlace, ref: string): boolean {
  const now = commitAt(place, ref);
  if (now === undefined || isShared(join(place.commonDir, 'refs'))) return false;
  return now !== null || !isPackedBeside(place, ref);
}

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
