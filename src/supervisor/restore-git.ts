import { restoreExcludes } from '../host/git/own-git.ts';
import { undoAgentsMoves, unstageAgentsWork } from '../host/work/branch.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { SupervisorInput } from './input.ts';

/** What an agent did to branch, history, index and excludes is undone, as far as it is not its to do. */
export async function lookAfterGit(
  { root, stateDir, env, config, tell }: SupervisorInput,
  claim: Claim,
): Promise<void> {
  const place = { root, stateDir, env };
  const mayCommit = config.commit === 'agent';
  const undone = await undoAgentsMoves(place, claim.session, { mayCommit });
  if (undone !== null) tell({ kind: 'back_on_branch', claim, undone });
  if (!mayCommit) await unstageAgentsWork(place, claim.session);
  if (await restoreExcludes(place)) tell({ kind: 'excludes_restored', claim });
}
