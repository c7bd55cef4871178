// What the finish of a session in a slot asks for: to judge its work, to land it, to keep what is unfinished.
import { withUnsaved } from '../../domain/sessions/gate.ts';
import { createSlotVerifier } from '../../host/landing/slot-verifier.ts';
import type { SlotClaim } from '../../host/landing/slot-work.ts';
import { NO_TRAIN } from '../../host/landing/train.ts';
import { insideSlot } from '../../host/sandbox/inside.ts';
import { takeSlot } from '../../host/slots/fill-slot.ts';
import { saveGateResults } from '../../queue/sessions/gate-results.ts';
import type { LiveSession } from '../../queue/sessions/live-session.ts';
import { recordWork, setPhase } from '../../queue/sessions/phase.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { show } from '../../queue/tasks/show.ts';
import { slotTamperingText } from '../tampering.ts';
import type { EffectsInput, GroundEffects } from './ground.ts';
import { baseOf, type SlotRun } from './slot-run.ts';

export function slotEffects(run: SlotRun, effects: EffectsInput): GroundEffects {
  const { input, tampering, gateGround, trunk, train, gates, proven, rules, open, findUntrusted } = run;
  const { queue, config, tell } = input;
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
    saveGates: (live, results) => saveGateResults(queue, { session: live.session, results, baseline: false }),
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
    onFollowing: run.tellFollowing,
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
        (await takeSlot(found.slot, baseOf(found.claim), rules.included)).tree;
      return { root: found.slot.root, inside: insideSlot(found.slot, 'agent', 'read'), takeTree };
    },
    pauseLanding: (session_id) => verifier.leave(session_id),
  };
}
