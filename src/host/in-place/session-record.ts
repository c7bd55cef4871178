// What Ralph remembers of a session in place: the branch that it began on, and HEAD. It survives a crash in the session's folder.
import { join } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { headCommit, isAncestor } from '../git/git.ts';
import { currentBranch, findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import type { TakenTree } from '../git/work-tree.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { sessionDir } from '../session-folder.ts';

export type SessionRecord = {
  /** Such as `refs/heads/main`; null if HEAD was on none. */
  branch: string | null;
  head: string;
  submodules: TakenTree['submodules'];
};

const recordFile = ({ stateDir }: Pick<Place, 'stateDir'>, session_id: string): string =>
  join(sessionDir(stateDir, session_id), 'in-place.json');

/** Null if the session's files were not ready when its supervisor was killed. */
export const readSessionRecord = (
  place: Pick<Place, 'stateDir'>,
  session_id: string,
): Promise<SessionRecord | null> => readRecord(recordFile(place, session_id));

export const writeSessionRecord = (place: Place, session_id: string, record: SessionRecord): Promise<void> =>
  writeFileWhole(recordFile(place, session_id), JSON.stringify(record), { mode: PRIVATE_FILE });

export const branchNow = ({ root }: Place): string | null => {
  const found = findGit(root);
  return found === null ? null : currentBranch(found);
};

/** The ref that a commit of Ralph's moves. */
export const branchRef = ({ branch }: Pick<SessionRecord, 'branch'>): string => branch ?? 'HEAD';

/** Commits that appeared meanwhile stay: Ralph cannot tell the agent's from a person's. Returns HEAD. */
export async function requireSameBranch(
  place: Place,
  task_id: number,
  { branch, head }: SessionRecord,
): Promise<string> {
  const now = await headCommit(place);
  const isSame = branchNow(place) === branch && now !== null;
  if (isSame && (now === head || (await isAncestor(place, head, now)))) return now;
  const name = branch?.replace('refs/heads/', '') ?? head.slice(0, 7);
  throw new NeedsPerson(
    `While task ${task_id} was at work, the checkout left ${name} at ${head.slice(0, 7)} or moved back behind it, so Ralph commits nothing. Switch to the branch that the work belongs on, with a clean checkout (ralph diff ${task_id} shows the work); then answer this question to try the task again.`,
  );
}
