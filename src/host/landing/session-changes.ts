import type { FileChange } from '../../domain/context.ts';
import { treeChanges } from '../git/diff.ts';
import { treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { readSessionWork } from './work-refs.ts';

/** What a session in a slot changed; null if it left no ref. */
export async function sessionChanges(place: Place, session_id: string): Promise<FileChange[] | null> {
  const work = findGit(place.root) === null ? null : await readSessionWork(place, session_id);
  if (work === null) return null;
  return treeChanges(place, await treeOfCommit(place, work.base), work.tree);
}
