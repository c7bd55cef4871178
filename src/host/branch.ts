// An agent that checks out another branch must not take the project there: the work stays in the tree, HEAD goes back.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../domain/session.ts';
import { gitText, headCommit } from './git.ts';
import { branchOf, commitAt, findGit } from './git-place.ts';
import { sessionDir } from './project.ts';
import type { Place } from './session-work.ts';
import { writeFileWhole } from './write-file.ts';

const branchFile = ({ stateDir }: Place, session_id: string): string =>
  join(sessionDir(stateDir, session_id), 'branch');

/** Kept beside the session's prompt, so that whoever finishes it knows. Nothing is kept where HEAD is on no branch. */
export async function keepBranch(place: Place, session_id: string): Promise<void> {
  const branch = branchNow(place);
  if (branch !== null) await writeFileWhole(branchFile(place, session_id), branch);
}

/** What a session did to the history, in words; null where HEAD is where it was, or further. */
export async function backToHistory(
  place: Place,
  { id, base_commit }: Pick<Session, 'id' | 'base_commit'>,
): Promise<string | null> {
  const left = await backToBranch(place, id);
  const head = await headCommit(place);
  if (base_commit === null || head === base_commit) return left;
  const isAhead =
    head !== null && (await gitText(place, ['merge-base', '--is-ancestor', base_commit, head])) !== null;
  if (isAhead) return left;
  // What it undid in the files is its work, and judged; what was committed before stays committed.
  await gitText(place, [
    'update-ref',
    '-m',
    'ralph: back to the history of the session',
    'HEAD',
    base_commit,
  ]);
  await gitText(place, ['read-tree', 'HEAD']);
  return `another history (${head?.slice(0, 7) ?? 'none'})`;
}

/** Answers with the branch that was left, or null where HEAD is where it was. */
async function backToBranch(place: Place, session_id: string): Promise<string | null> {
  const kept = await readFile(branchFile(place, session_id), 'utf8').catch(() => null);
  if (kept === null) return null;
  const now = branchNow(place);
  if (now === kept) return null;
  const git = findGit(place.root);
  // Renamed or deleted: there is nothing to go back to, and HEAD on it would cut the history off.
  if (git === null || commitAt(git, kept) === null) return null;
  const before = await headCommit(place);
  await gitText(place, ['symbolic-ref', '-m', 'ralph: back to the branch of the session', 'HEAD', kept]);
  // The index was the other branch's; the files stay as the agent left them.
  if ((await headCommit(place)) !== before) await gitText(place, ['read-tree', 'HEAD']);
  return now ?? 'no branch';
}

function branchNow({ root }: Place): string | null {
  const git = findGit(root);
  return git === null ? null : branchOf(git);
}
