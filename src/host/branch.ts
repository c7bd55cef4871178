// An agent that checks out another branch must not take the project there: the work stays in the tree, HEAD goes back.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitText, headCommit } from './git.ts';
import { branchOf, findGit } from './git-place.ts';
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

/** Answers with the branch that was left, or null where HEAD is where it was. */
export async function backToBranch(place: Place, session_id: string): Promise<string | null> {
  const kept = await readFile(branchFile(place, session_id), 'utf8').catch(() => null);
  if (kept === null) return null;
  const now = branchNow(place);
  if (now === kept) return null;
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
