import { Refusal } from '../../domain/refusal.ts';
import { headCommit } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { requireSlots } from '../../host/slots/require-slots.ts';
import type { GroundInput } from '../input.ts';
import type { TamperDetector } from '../sessions/tampering.ts';
import { holdCheckout } from './checkout-lock.ts';
import type { Ground, GroundKind } from './ground.ts';
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
