import { headCommit } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { requireSlots } from '../../host/slots/require-slots.ts';
import type { Agent } from '../agents/agent.ts';
import type { GroundInput } from '../input.ts';
import type { TamperDetector } from '../tampering.ts';
import { holdCheckout } from './checkout-lock.ts';
import type { Ground } from './ground.ts';
import { inPlaceGround } from './in-place.ts';
import { slotGround } from './slots.ts';

/** Sessions work in slots, unless the person wants otherwise or the project cannot have slots. */
export async function openGround(
  input: GroundInput,
  agent: Pick<Agent, 'namesWrites'>,
  tampering: TamperDetector,
): Promise<Ground> {
  const { config, root, env, stateDir } = input;
  const place = { root, env, stateDir };
  // Other policies leave commits to the agent or the person, or make one of several sessions: that needs one checkout. Slots
  // need a commit to start from.
  const isInPlace = config.in_place || config.commit !== 'task' || findGit(root) === null;
  if (isInPlace || (await headCommit(place)) === null)
    return holdCheckout(place, () => inPlaceGround(input, agent, tampering));
  await requireSlots(place);
  return slotGround(input, config.jobs, tampering);
}
