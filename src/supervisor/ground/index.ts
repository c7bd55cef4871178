import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { headCommit } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { ownFolder } from '../../host/git/own-folder.ts';
import type { Place } from '../../host/git/own-git.ts';
import { dropLock, lockOwner, takeLock } from '../../host/processes/lock-file.ts';
import { requireSlots } from '../../host/slots/require-slots.ts';
import type { GroundInput } from '../input.ts';
import type { TamperDetector } from '../sessions/tampering.ts';
import { type Ground, type GroundKind, releaseOnce } from './ground.ts';
import { inPlaceGround, NO_COMMIT } from './in-place.ts';
import { slotGround } from './slots.ts';

/** Sessions work in slots, unless the person wants otherwise or the project cannot have slots. */
export async function openGround(input: GroundInput, tampering: TamperDetector): Promise<Ground> {
  const { config, root, env, stateDir } = input;
  const place = { root, env, stateDir };
  const hasGit = findGit(root) !== null;
  if (hasGit && (await headCommit(place)) === null) throw new Refusal(NO_COMMIT);
  if (config.land.remote !== null && (config.in_place || config.commit !== 'task'))
    throw new Refusal(
      `${config.land.target === 'branch' ? 'land.remote' : 'land.target: pull_request'} needs sessions that work in slots, and a commit for each task; remove it, or in_place and commit, from .ralph/config.yaml.`,
    );
  // Other policies leave commits to the agent or the person, or make one of several sessions: that needs one checkout.
  if (!hasGit || config.in_place || config.commit !== 'task')
    return openGroundAs('checkout', input, tampering);
  await requireSlots(place);
  return openGroundAs('slots', input, tampering);
}

/** For sessions that worked there, whatever the configuration says by now. */
export async function openGroundAs(
  kind: GroundKind,
  input: GroundInput,
  tampering: TamperDetector,
): Promise<Ground> {
  if (kind === 'checkout') return holdCheckout(input, () => inPlaceGround(input, tampering));
  return slotGround(input, input.config.jobs, tampering);
}

// One process at a time works in a person's checkout: a run for its whole time, a client while it holds a task.

/** Locks the checkout until the ground ends; refuses if another process works in it. */
async function holdCheckout(place: Place, open: () => Ground): Promise<Ground> {
  const file = join(ownFolder(place), 'in-place.lock');
  if (!(await takeLock(file))) throw new Refusal(takenText((await lockOwner(file))?.pid ?? null));
  try {
    const ground = open();
    const release = releaseOnce(() => ground.release().finally(() => dropLock(file)));
    return { ...ground, release, end: () => ground.end().finally(release) };
  } catch (error) {
    dropLock(file);
    throw error;
  }
}

const takenText = (pid: number | null): string =>
  `${pid === null ? 'Another process' : `Process ${pid}`} works in this checkout, a ralph run or a client that holds a task. In the checkout itself only one works at a time; wait until it has ended.`;
