// Makes a slot ready for the work of a session, which may have broken what the setup reads, such as a lock file. The work is at
// fault only if the setup passes without it at the same time: a network that is away fails both, and that charges no task.
import type { GateResult } from '../../domain/sessions/gate.ts';
import { treeOfCommit } from '../git/git.ts';
import { prepareSlot, type SlotRules } from './prepare-slot.ts';
import { forgetSetUp, SetUpFailed } from './set-up.ts';
import type { Slot } from './slot.ts';
import type { SlotHead } from './slot-git.ts';

type Work = { head: SlotHead; tree: string; trunkTip: string };

/** The result of the setup if the work is at fault; null if the slot is ready for gates. */
export async function prepareForGates(slot: Slot, work: Work, rules: SlotRules): Promise<GateResult | null> {
  if ((await prepareOrGoBack(slot, work, rules)) === null) return null;
  // Once more: a setup that fails now and then refutes nothing.
  await forgetSetUp(slot);
  return tryToPrepare(slot, work, rules).then((failed) => failed?.result ?? null);
}

/** As above, but the slot is ready in any case: the agent can mend its files in what the setup makes without them. */
export async function prepareForAgent(slot: Slot, work: Work, rules: SlotRules): Promise<GateResult | null> {
  const failed = await prepareOrGoBack(slot, work, rules);
  if (failed === null) return null;
  await prepareSlot(slot, work, { ...rules, slots: { ...rules.slots, setup: null, clean: false } });
  return failed.result;
}

/** If the setup fails, the slot holds the files without the work. Throws if the setup fails with those, too. */
async function prepareOrGoBack(slot: Slot, work: Work, rules: SlotRules): Promise<SetUpFailed | null> {
  const failed = await tryToPrepare(slot, work, rules);
  if (failed === null) return null;
  const { head, tree, trunkTip: commit } = work;
  if (tree === (await treeOfCommit(slot.repository, commit))) throw failed;
  // The setup that failed has left no stamp, so it runs now, whatever it had made before.
  await prepareSlot(slot, { head: { ...head, commit }, tree: commit }, rules);
  return failed;
}

async function tryToPrepare(slot: Slot, { head, tree }: Work, rules: SlotRules): Promise<SetUpFailed | null> {
  try {
    await prepareSlot(slot, { head, tree }, rules);
    return null;
  } catch (error) {
    if (error instanceof SetUpFailed) return error;
    throw error;
  }
}
