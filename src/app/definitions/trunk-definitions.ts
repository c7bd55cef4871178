// Definitions of a queue that several machines share: they come from the trunk alone, and only move forward. Otherwise machines at
// different commits would undo each other's definitions.
import type { Config } from '../../domain/config.ts';
import { withCommittedFiles } from '../../host/definitions/committed.ts';
import { hasObject, isAncestor } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import type { Place } from '../../host/git/own-git.ts';
import { findTrunk, readRef } from '../../host/landing/trunk.ts';
import { configuredRemote } from '../../host/remote/remote.ts';
import { changedDefinitions } from '../../project/definitions/definition-files.ts';
import { appliedCommit, applyCommitted } from '../../queue/definitions/apply-committed.ts';
import type { Queue } from '../../queue/queue.ts';

/**
 * Applies what the trunk has, as this repository knows it. `isAsked`: a person wants what it has now, even after it was rewritten.
 * Returns the commit whose definitions hold now; null without git or a commit.
 */
export async function applyTrunkDefinitions(
  place: Place,
  queue: Queue,
  land: Config['land'],
  { isAsked = false }: { isAsked?: boolean } = {},
): Promise<string | null> {
  const before = await appliedCommit(queue);
  if (findGit(place.root) === null) return before;
  const trunk = findTrunk(place, land.branch, configuredRemote(land));
  const tip = await readRef(place, trunk.remote === null ? trunk.branchRef : trunk.ref);
  if (tip === null || tip === before) return before;
  if (!isAsked && before !== null && !(await isForward(place, before, tip))) return before;
  const changed = await withCommittedFiles(place, tip, (root) => changedDefinitions(root, null));
  return applyCommitted(queue, { definitions: changed?.definitions ?? null, before, commit: tip });
}

/** A machine that does not know the commit yet is behind it. */
const isForward = async (place: Place, older: string, newer: string): Promise<boolean> =>
  (await hasObject(place, older)) && (await isAncestor(place, older, newer));
