// What the finish of a session in a slot asks for: to judge its work, to land it, to keep what is unfinished.
import { withUnsaved } from '../../domain/sessions/gate.ts';
import { GitFailed } from '../../host/git/git.ts';
import { createSlotVerifier } from '../../host/landing/slot-verifier.ts';
import { hasWork, type SlotClaim, type SlotWorkInput, slotWorkTaker } from '../../host/landing/slot-work.ts';
import { NO_TRAIN } from '../../host/landing/train.ts';
import { saveTaskWork } from '../../host/landing/work-refs.ts';
import { insideSlot } from '../../host/sandbox/inside.ts';
import { takeSlot } from '../../host/slots/fill-slot.ts';
import { saveGateResults } from '../../queue/sessions/gate-results.ts';
import { type LiveSession, recordWork, setPhase } from '../../queue/sessions/live-session.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { show } from '../../queue/tasks/show.ts';
import { proposeDefinitions } from '../propose-definitions.ts';
import { slotTamperingText } from '../sessions/tampering.ts';
import type { EffectsInput, GroundEffects } from './ground.ts';
import type { SlotRun } from './slot-run.ts';

export function slotEffects(run: SlotRun, effects: EffectsInput): GroundEffects {
  const {
    input,
    repository,
    tampering,
    gateGround,
    trunk,
    hastyTrunk,
    pulls,
    train,
    gates,
    proven,
    background,
    rules,
    open,
    findUntrusted,
  } = run;
  const { queue, config, tell } = input;
  const findClaim = ({ session }: SlotClaim): Claim | null => open.get(session.id)?.claim ?? null;
  const onWork: SlotWorkInput['onWork'] = (session_id, work) => recordWork(queue, session_id, work);
  const onDefinitions: SlotWorkInput['onDefinitions'] = async (live, files, changes) => {
    const { task, session } = live;
    const proposal = { session_id: session.id, task_id: task.id, at: queue.now(), changes };
    if (changes.length > 0) await proposeDefinitions(input, proposal);
    const claim = findClaim(live);
    if (claim !== null) tell({ kind: 'definitions_changed', claim, files });
  };
  const verifier = createSlotVerifier<LiveSession>({
    ...effects,
    knownGates: async (tree) => withUnsaved(await effects.knownGates(tree), proven.get(tree) ?? []),
    ground: gateGround,
    // What is recovered can also be recovered later.
    trunk: effects.isRecovery ? hastyTrunk : trunk,
    ...(pulls !== null && { pulls }),
    train: effects.isRecovery ? NO_TRAIN : train,
    config: { ...config, gates },
    stop: input.stop.now,
    accepted: input.baseline.accepted,
    findUntrusted,
    saveGates: (live, results) => saveGateResults(queue, { session: live.session, results, baseline: false }),
    sessionsOf: async (task_id) => (await show(queue, task_id)).sessions.map(({ id }) => id),
    onWork,
    onLanding: async (live) => {
      await setPhase(queue, live.session.id, 'landing');
      const claim = findClaim(live);
      if (claim !== null)
        tell({ kind: 'phase', claim, phase: 'landing', behind: train.behind(live.session.id) });
    },
    onDefinitions,
    onFollowing: run.tellFollowing,
    ...(effects.followsBeside === true && { beside: run.followBeside }),
    onUnshared: (reason) => tell({ kind: 'refused', reason }),
  });
  return {
    ...verifier,
    saveUnfinished: (live) =>
      verifier.saveUnfinished(live).catch((error: unknown) => {
        if (!(error instanceof GitFailed)) throw error;
        // Once more: the next session overwrites the slot, and a git that was killed is no reason to lose the work.
        return verifier.saveUnfinished(live);
      }),
    saveLost: async (live) => {
      const folder = input.slotsFolderOf?.(live.session.root ?? '');
      if (folder === undefined || (await verifier.landedCommit(live)) !== null) return;
      const ground = { place: { ...gateGround.place, folder }, rules };
      if (!(await hasWork({ ground }, live))) return;
      const work = await slotWorkTaker({ ground, onWork, onDefinitions })(live);
      await saveTaskWork(repository, live.task.id, work);
    },
    settled: async (live, { status, outcome }) => {
      verifier.leave(live.session.id);
      if (status !== 'done' && outcome !== 'proposed') return;
      // The task is settled. Refs that stay because git fails are dropped by the next run.
      background.later(live.task.id, () => verifier.discard(live).catch(() => {}));
    },
    findTampering: async (live) => {
      if ((await verifier.landedCommit(live)) !== null) return null;
      const slot = open.get(live.session.id)?.slot;
      // Without its slot, the check before the gates finds it.
      const found = slot === undefined ? null : await tampering.findTamperingIn(slot.root);
      return found === null ? null : slotTamperingText(found, live.task.id);
    },
    hasLanded: async (live) => (await verifier.landedCommit(live)) !== null,
    reviewGround: (live) => {
      const found = open.get(live.session.id);
      if (found === undefined) return undefined;
      const takeTree = async (): Promise<string> =>
        (await takeSlot(found.slot, found.base, rules.included)).tree;
      return { root: found.slot.root, inside: insideSlot(found.slot, 'agent', 'read'), takeTree };
    },
    pauseLanding: (session_id) => verifier.leave(session_id),
  };
}
