// Makes a slot ready: the files of a commit, the ignored files that the person wants there, and what the setup makes.
import type { Config } from '../../domain/config.ts';
import { treeOfCommit } from '../git/git.ts';
import { allEnded } from '../processes/all-ended.ts';
import type { Environment } from '../processes/spawn.ts';
import { insideSlot } from '../sandbox/inside.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { diskFull, isDiskFull, requireSpace } from './disk-space.ts';
import { type Filling, fillSlot, removeSlot } from './fill-slot.ts';
import { beginGateFiles, recordGateFiles, restoreGateFiles } from './gate-files.ts';
import { includeFiles } from './include-files.ts';
import { forgetSetUp, needsSetUp, setUp } from './set-up.ts';
import { type Slot, slotEnvironment } from './slot.ts';
import { isFolder } from './slot-git.ts';
import { homeEnvironment } from './slot-home.ts';
import { noteReadySize } from './slot-size.ts';
import { foldersIn, removeUnlisted } from './unlisted-files.ts';

export type SlotRules = {
  slots: Config['slots'];
  /** More variables that setup and gates get, by name. */
  names: readonly string[];
  /** Ignored files that are copied from the checkout. */
  included: readonly string[];
  env: Environment;
  stop?: AbortSignal | undefined;
  /** For setup, gates and hooks; without it they run as they are. */
  sandbox?: Sandbox | undefined;
  /** Throws if the setup may not run with the files that are there. */
  beforeSetUp?(slot: Slot): Promise<void>;
  onStep?(slot: Slot, step: 'making' | 'setup' | 'repaired', ended: boolean): void;
};

/** Leaves no slot behind that the disk could not hold. */
export async function prepareSlot(...[slot, filling, rules]: Parameters<typeof prepare>): Promise<void> {
  try {
    await prepare(slot, filling, rules);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await removeSlot(slot);
    throw diskFull(slot, error);
  }
}

async function prepare(
  slot: Slot,
  filling: Omit<Filling, 'isClean'>,
  { slots, names, included, env, stop, sandbox, beforeSetUp, onStep }: SlotRules,
): Promise<void> {
  const isThere = isFolder(slot.tree);
  if (!isThere) {
    onStep?.(slot, 'making', false);
    await requireSpace(slot, filling.tree);
  }
  const fill = () => fillSlot(slot, { ...filling, isClean: slots.clean });
  // If one fails, the slot is free for the next session, which must not meet the git of the other in it.
  const { head, tree } = filling;
  const listed = tree === head.commit ? await treeOfCommit(slot.repository, tree) : tree;
  const [filled, folders] = await allEnded([fill(), foldersIn(slot.repository, listed)]);
  const isWhole = filled.isNew || removeUnlisted(slot, folders);
  if (!isWhole) await removeSlot(slot);
  const { isNew } = isWhole ? filled : await fill();
  if (isNew) onStep?.(slot, isThere ? 'repaired' : 'making', true);
  const gateFiles = { slots, included, head };
  const isForGates = slot.kind === 'gates';
  const isSetUp =
    !(await needsSetUp(slot, slots, isNew)) && (!isForGates || (await restoreGateFiles(slot, gateFiles)));
  if (!isSetUp) await forgetSetUp(slot);
  // What an older setup left must not mix with the new one.
  if (!isSetUp && !isNew && !slots.clean) await fillSlot(slot, { ...filling, isClean: true });
  await includeFiles(slot, included);
  if (!isSetUp) {
    await beforeSetUp?.(slot);
    if (isForGates) await beginGateFiles(slot);
    await setUp(slot, {
      slots,
      names,
      env: { ...homeEnvironment(slot, env), ...slotEnvironment(slot, slots.env) },
      stop,
      enclosure: sandbox?.enclose(insideSlot(slot, 'gate')),
      onSetUp: (ended) => onStep?.(slot, 'setup', ended),
    });
    if (isForGates) await recordGateFiles(slot, gateFiles);
  }
  // With `slots.clean` each use sets the slot up.
  if (isNew || (!isSetUp && !slots.clean)) await noteReadySize(slot);
}
