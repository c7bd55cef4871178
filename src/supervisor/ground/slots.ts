// Sessions work in slots, several at the same time. Their work lands on the trunk, and the person's checkout follows it.
import { join } from 'node:path';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { type KnownGate, withUnsaved } from '../../domain/sessions/gate.ts';
import { baselineMarker, UNCLAIMED } from '../../host/gates/baseline-gates.ts';
import { findResult } from '../../host/gates/gates.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { adoptSettings, type Place } from '../../host/git/own-git.ts';
import { workRef } from '../../host/git/refs.ts';
import { type Following, followTrunk } from '../../host/landing/follow.ts';
import { commitsBetween, mergeWork } from '../../host/landing/merge.ts';
import { noBranchText } from '../../host/landing/persons-commits.ts';
import {
  type GateGround,
  gatesAtOnce,
  inGateSlot,
  markerVariable,
  runGatesIn,
} from '../../host/landing/slot-gates.ts';
import { createSlotVerifier } from '../../host/landing/slot-verifier.ts';
import type { SlotClaim } from '../../host/landing/slot-work.ts';
import { NO_TRAIN, openTrain } from '../../host/landing/train.ts';
import { advanceTrunk, findTrunk, readRef, type Trunk } from '../../host/landing/trunk.ts';
import { readSessionWork } from '../../host/landing/work-refs.ts';
import { removeSlot, takeSlot } from '../../host/slots/fill-slot.ts';
import { clearGateHome, makeGateHome } from '../../host/slots/gate-home.ts';
import { includedFiles } from '../../host/slots/include-files.ts';
import { prepareSlot } from '../../host/slots/prepare-slot.ts';
import { type Slot, type SlotPlace, slotEnvironment } from '../../host/slots/slot.ts';
import {
  acquireWorkSlot,
  clearSlotSession,
  freeSlots,
  releaseSlot,
  writeSlotSession,
} from '../../host/slots/slot-pool.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { saveGateResults } from '../../queue/sessions/gate-results.ts';
import type { LiveSession } from '../../queue/sessions/live-session.ts';
import { recordSlot, recordWork, setPhase } from '../../queue/sessions/phase.ts';
import { isSessionOver } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { addComment } from '../../queue/tasks/comment.ts';
import { show } from '../../queue/tasks/show.ts';
import { cleanUpAfterDead } from '../clean-up.ts';
import type { SupervisorInput } from '../input.ts';
import { plantedText, slotTamperingText, type TamperDetector, untrustedText } from '../tampering.ts';
import type { Ground, GroundEffects } from './ground.ts';

export async function slotGround(
  input: SupervisorInput,
  jobs: number,
  tampering: TamperDetector,
): Promise<Ground> {
  const { queue, root, env, stateDir, config, tell } = input;
  const repository: Place = { root, env, stateDir };
  const place: SlotPlace = { repository, folder: input.slotsFolder };
  const trunk = findTrunk(repository, config.land.branch);
  // Before the first agent runs: only these settings and excludes count in this run.
  await adoptSettings(repository);
  const findUntrusted = async (folder: string): Promise<string | null> => {
    const found = await tampering.findTamperingIn(folder);
    return found === null ? null : untrustedText(found);
  };
  const names = [...config.env, ...Object.keys(config.slots.env)];
  const rules = {
    slots: config.slots,
    names,
    included: await includedFiles(repository),
    env,
    stop: input.stop.now,
    beforeSetUp: async ({ root: folder }: Slot): Promise<void> => {
      const untrusted = await findUntrusted(folder);
      if (untrusted !== null) throw new NeedsPerson(untrusted);
    },
    onStep: (slot: Slot, step: 'making' | 'setup' | 'repaired', ended: boolean) =>
      tell({ kind: 'slot', slot: slot.number, step, ended, detail: null }),
  };
  const gates = config.gates.map((gate) => ({ ...gate, env: names }));
  /** By tree: what gates proved in this run. */
  const proven = new Map<string, readonly KnownGate[]>();
  const gateGround: GateGround = {
    place,
    rules,
    gatesAtOnce: gatesAtOnce(config.slots),
    branch: trunk.branch,
    env: { ...env, ...(await makeGateHome(place, env)) },
    onResults: (tree, results) =>
      proven.set(
        tree,
        withUnsaved(
          results.map((result) => ({ ...result, session_id: UNCLAIMED, baseline: true })),
          proven.get(tree) ?? [],
        ),
      ),
  };
  const train = openTrain();
  const open = new Map<string, { slot: Slot; claim: Claim }>();

  const requireTip = async (): Promise<string> => {
    const standing = await advanceTrunk(repository, trunk);
    if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
    return standing.tip;
  };
  const tellFollowing = (following: Following): void => tellOf(tell, trunk, following);
  /** If git fails here, `ralph land` or the next run brings the checkout forward. */
  const follow = (): Promise<unknown> =>
    catchHindrance(async () => {
      if (config.land.update_checkout) tellFollowing(await followTrunk(repository, trunk));
    });
  const slotOf = ({ session }: Claim): Slot => {
    const found = open.get(session.id);
    if (found === undefined) throw new Error(`Session ${session.id} has no slot.`);
    return found.slot;
  };
  const base = ({ session }: Claim): string => session.base_commit ?? '';

  return {
    jobs,
    tip: requireTip,
    beforeRecovery: () => cleanUpAfterDead(queue, repository),
    afterRecovery: async () => {
      await freeSlots(place, (id) => isSessionOver(queue, id));
      await requireTip();
      await follow();
    },
    runBaseline: async ({ run_id, knownGates, stop, ...listeners }) => {
      const tip = await requireTip();
      const tree = await treeOfCommit(repository, tip);
      const before = await knownGates(tree);
      const unproven = gates.filter((gate) => findResult(gate, before, true) === undefined);
      const passed = gates.flatMap((gate) => findResult(gate, before, true) ?? []);
      const ran =
        unproven.length === 0
          ? []
          : await inGateSlot(gateGround, tip, async (slot) => {
              const untrusted = await findUntrusted(slot.root);
              if (untrusted !== null) throw new NeedsPerson(untrusted);
              return runGatesIn(gateGround, slot, {
                commit: tip,
                tree,
                gates: unproven,
                logFolder: join(stateDir, 'baseline'),
                marker: markerVariable(baselineMarker(repository, run_id)),
                known: [],
                sessionResults: [],
                resultsBefore: [],
                stop,
                listeners,
                isBaseline: true,
              });
            });
      const known = (result: (typeof ran)[number]): KnownGate => ({
        ...result,
        tree_hash: tree,
        session_id: UNCLAIMED,
        baseline: true,
      });
      return [...passed, ...ran].map(known);
    },
    open: async (claim) => {
      const { session, task } = claim;
      const slot = await acquireWorkSlot(place, (id) => isSessionOver(queue, id));
      open.set(session.id, { slot, claim });
      await recordSlot(queue, session.id, { slot: slot.number, base_commit: base(claim) });
      const tree = await startTree(claim);
      const head = { commit: base(claim), branch: `task-${task.id}`, upstream: trunk.branch };
      await clearSlotSession(slot);
      await prepareSlot(slot, { head, tree }, rules);
      await requireNothingPlanted(slot, task.id, () => prepareSlot(slot, { head, tree }, rules));
      await writeSlotSession(slot, { session_id: session.id, base: base(claim) });
      await setPhase(queue, session.id, 'working');
      return { root: slot.root, slot: slot.number, env: slotEnvironment(slot, config.slots.env), tree };
    },
    takeTree: async (claim) => (await takeSlot(slotOf(claim), base(claim), rules.included)).tree,
    isTampered: async () => false,
    beforeAgent: async () => {},
    afterAgent: async (claim) => {
      await setPhase(queue, claim.session.id, 'proving');
      tell({ kind: 'phase', claim, phase: 'proving', behind: [] });
    },
    hasChanged: async (claim, before, _, after) => {
      if (before === null) return true;
      const work = await readSessionWork(repository, claim.session.id);
      const now = after ?? work?.tree ?? (await takeSlot(slotOf(claim), base(claim), rules.included)).tree;
      return now !== before;
    },
    effects: (effects): GroundEffects => {
      const claimOf = ({ session }: SlotClaim): Claim | null => open.get(session.id)?.claim ?? null;
      const verifier = createSlotVerifier<LiveSession>({
        ...effects,
        knownGates: async (tree) => withUnsaved(await effects.knownGates(tree), proven.get(tree) ?? []),
        ground: gateGround,
        trunk,
        train: effects.isRecovery ? NO_TRAIN : train,
        config: { ...config, gates },
        stop: input.stop.now,
        accepted: input.baseline.accepted,
        findUntrusted,
        saveGates: (live, results) =>
          saveGateResults(queue, { session: live.session, results, baseline: false }),
        sessionsOf: async (task_id) => (await show(queue, task_id)).sessions.map(({ id }) => id),
        onWork: (session_id, work) => recordWork(queue, session_id, work),
        onLanding: async (live) => {
          await setPhase(queue, live.session.id, 'landing');
          const claim = claimOf(live);
          if (claim !== null)
            tell({ kind: 'phase', claim, phase: 'landing', behind: train.behind(live.session.id) });
        },
        onDefinitions: (live, files) => {
          const claim = claimOf(live);
          if (claim !== null) tell({ kind: 'definitions_changed', claim, files });
        },
        onFollowing: tellFollowing,
      });
      return {
        ...verifier,
        saveUnfinished: (live) => verifier.saveUnfinished(live),
        settled: async (live, { status }) => {
          verifier.leave(live.session.id);
          if (status === 'done') await verifier.discard(live);
        },
        findTampering: async (live) => {
          if ((await verifier.landedCommit(live)) !== null) return null;
          const slot = open.get(live.session.id)?.slot;
          // Without its slot, the check before the gates finds it.
          const found = slot === undefined ? null : await tampering.findTamperingIn(slot.root);
          return found === null ? null : slotTamperingText(found, live.task.id);
        },
        undoMoves: async () => {},
        hasLanded: async (live) => (await verifier.landedCommit(live)) !== null,
        reviewGround: (live) => {
          const found = open.get(live.session.id);
          if (found === undefined) return undefined;
          const takeTree = async (): Promise<string> =>
            (await takeSlot(found.slot, base(found.claim), rules.included)).tree;
          return { root: found.slot.root, takeTree };
        },
        pauseLanding: (session_id) => verifier.leave(session_id),
      };
    },
    close: async ({ session }) => {
      train.leave(session.id);
      const slot = open.get(session.id)?.slot;
      open.delete(session.id);
      if (slot === undefined) return;
      // What is not in a ref by now stays in the slot for a later run.
      if (await isSessionOver(queue, session.id)) await clearSlotSession(slot);
      await releaseSlot(slot);
    },
    end: async () => {
      await clearGateHome(place);
      await follow();
    },
  };

  /** An agent executes what the settings in its folder name, and ignored files of earlier sessions are still in the slot. */
  async function requireNothingPlanted(
    slot: Slot,
    task_id: number,
    prepareAgain: () => Promise<void>,
  ): Promise<void> {
    if ((await tampering.findPlantedIn(slot.root)).length === 0) return;
    await removeSlot(slot);
    await prepareAgain();
    const planted = await tampering.findPlantedIn(slot.root);
    if (planted.length > 0) throw new NeedsPerson(plantedText(planted, task_id));
  }

  /** The files that a session starts with: those of its base, merged with the task's unfinished work. */
  async function startTree(claim: Claim): Promise<string> {
    const { task } = claim;
    const work = await readRef(repository, workRef(task.id));
    if (work === null) return treeOfCommit(repository, base(claim));
    const merge = await mergeWork(repository, { base: `${work}^`, commit: work }, base(claim));
    const isTold = (await show(queue, task.id)).sessions.at(-2)?.outcome === 'conflict';
    if (merge.conflicts.length > 0 && !isTold) {
      const others = await commitsBetween(repository, work, base(claim), merge.conflicts);
      await addComment(queue, task.id, conflictText(merge.conflicts, others));
    }
    return merge.tree;
  }
}

function conflictText(
  paths: readonly string[],
  others: readonly { commit: string; subject: string }[],
): string {
  const whose = others.map(({ commit, subject }) => `${commit.slice(0, 7)} (${subject})`).join(', ');
  return `Your earlier work was merged with newer work${whose === '' ? '' : ` by ${whose}`}. These files have conflict markers, with both versions: ${paths.join(', ')}. Resolve them first, and keep what both sides wanted.`;
}

function tellOf(tell: SupervisorInput['tell'], { branch }: Trunk, following: Following): void {
  if (following.kind === 'followed') tell({ ...following, kind: 'checkout_followed', branch });
  if (following.kind === 'waits') tell({ ...following, kind: 'checkout_waits', branch });
}
