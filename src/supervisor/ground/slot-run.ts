// What all sessions of a run in slots share.

import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { type KnownGate, withUnsaved } from '../../domain/sessions/gate.ts';
import { UNCLAIMED } from '../../host/gates/baseline-gates.ts';
import { adoptSettings, type Place } from '../../host/git/own-git.ts';
import type { Destination } from '../../host/landing/destination.ts';
import { landingLock, withLandingLock } from '../../host/landing/landing-lock.ts';
import { pullDestination } from '../../host/landing/pull-branch.ts';
import { type GateGround, gatesAtOnce } from '../../host/landing/slot-gates.ts';
import { openTrain, type Train } from '../../host/landing/train.ts';
import { advanceTrunk, findTrunk, type Trunk } from '../../host/landing/trunk.ts';
import { type Following, followTrunk } from '../../host/persons-branch/follow.ts';
import { noBranchText } from '../../host/persons-branch/persons-commits.ts';
import { configuredRemote, type Remote, requireKnownRemote } from '../../host/remote/remote.ts';
import { includedFiles } from '../../host/slots/include-files.ts';
import { type GateHome, openGateHome } from '../../host/slots/open-gate-home.ts';
import type { SlotRules } from '../../host/slots/prepare-slot.ts';
import type { Slot, SlotPlace } from '../../host/slots/slot.ts';
import { findBranch, sessionsOfBranch } from '../../queue/pull-requests/propose.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { GroundInput } from '../input.ts';
import { type TamperDetector, untrustedText } from '../sessions/tampering.ts';
import { type Background, openBackground } from './background.ts';
import { withFleetLine } from './fleet-line.ts';

export type SlotRun = {
  readonly input: GroundInput;
  readonly tampering: TamperDetector;
  readonly repository: Place;
  readonly place: SlotPlace;
  readonly trunk: Trunk;
  /** The same for work that no session of this run waits for: the first stop request ends its waits. */
  readonly hastyTrunk: Trunk;
  /** The branches of pull requests; null if work goes onto the trunk. */
  readonly pulls: Destination | null;
  readonly rules: SlotRules;
  readonly gates: Config['gates'];
  readonly gateGround: GateGround;
  readonly gateHome: GateHome;
  readonly train: Train;
  /** By session: the slot that it works in. */
  readonly open: Map<string, { slot: Slot; claim: Claim; base: string }>;
  /** By tree: what gates proved in this run. */
  readonly proven: ReadonlyMap<string, readonly KnownGate[]>;
  readonly background: Background;
  /** The question to the person if what judges in this folder is not what they trusted; null if it is. */
  findUntrusted(folder: string): Promise<string | null>;
  /** The commit that the next session starts from, with the person's commits that are on top of the trunk. */
  requireTip(): Promise<string>;
  follow(): Promise<void>;
  tellFollowing(following: Following): void;
  /** Begins to bring the checkout forward after a landing: meanwhile the session is settled, and the next slot made ready. */
  followBeside(work: () => Promise<void>): void;
  /**
   * Resolves when the checkout has followed. No agent begins before: what a person amends meanwhile would be on the trunk twice.
   */
  followed(): Promise<void>;
};

export async function openSlotRun(input: GroundInput, tampering: TamperDetector): Promise<SlotRun> {
  const { root, env, stateDir, config, tell } = input;
  const repository: Place = { root, env, stateDir };
  const place: SlotPlace = { repository, folder: input.slotsFolder };
  // Before the first agent runs: only these settings, excludes and remotes count in this run.
  if (input.isBeside !== true) await adoptSettings(repository);
  const trunk = findTrunk(repository, config.land.branch, configuredRemote(config.land, waiting(input)));
  const hastyTrunk = withRemote(trunk, { stop: input.stop.after });
  if (trunk.remote !== null) await requireRemote(repository, hastyTrunk, trunk.remote, input);
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
    sandbox: input.sandbox,
    beforeSetUp: async ({ root: folder }: Slot): Promise<void> => {
      const untrusted = await findUntrusted(folder);
      if (untrusted !== null) throw new NeedsPerson(untrusted);
    },
    onStep: (slot: Slot, step: 'making' | 'setup' | 'repaired', ended: boolean) =>
      tell({
        kind: 'slot',
        slot: slot.number,
        step,
        ended,
        detail: slot.kind === 'gates' ? 'for gates' : null,
      }),
  };
  const gates = config.gates.map((gate) => ({ ...gate, env: names }));
  /** By tree: what gates proved in this run. */
  const proven = new Map<string, readonly KnownGate[]>();
  const gateHome = await openGateHome(place, env, { isHidden: input.sandbox.level === 'process' });
  const gateGround: GateGround = {
    place: { ...place, home: gateHome.folder },
    rules,
    gatesAtOnce: gatesAtOnce(config.slots),
    trunk,
    env: { ...env, ...gateHome.env },
    onResults: (tree, results) =>
      proven.set(
        tree,
        withUnsaved(
          results.map((result) => ({ ...result, session_id: UNCLAIMED, baseline: true })),
          proven.get(tree) ?? [],
        ),
      ),
  };
  const open: SlotRun['open'] = new Map();
  const pulls =
    config.land.target === 'branch'
      ? null
      : pullDestination(repository, {
          trunk,
          per: config.land.per,
          findBranch: (task_id, feature) => findBranch(input.queue, task_id, feature),
          sessionsOf: (task_id, feature) => sessionsOfBranch(input.queue, task_id, feature),
          onUnsigned: (reason) => tell({ kind: 'unsigned', reason }),
        });
  const background = openBackground();
  const ownTrain = withLandingLock(openTrain(), landingLock(repository), input.stop.now);
  const isFleet = trunk.remote !== null && input.queue.store.isShared;
  const train = isFleet
    ? withFleetLine(ownTrain, { queue: input.queue, stop: input.stop.now, later: background.add })
    : ownTrain;

  const requireTip = async (): Promise<string> => {
    const standing = await advanceTrunk(repository, hastyTrunk);
    if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
    return standing.tip;
  };
  const tellFollowing = (following: Following): void => reportFollowing(tell, trunk, following);
  let following: Promise<void> = Promise.resolve();
  const followBeside = (work: () => Promise<void>): void => {
    following = following.catch(() => {}).then(work);
    // Whoever waits for it hears of a failure, unless a later landing has brought the checkout forward.
    following.catch(() => {});
  };
  /** If git fails here, `ralph land` or the next run brings the checkout forward. */
  const follow = async (): Promise<void> => {
    await catchHindrance(async () => {
      if (config.land.update_checkout) tellFollowing(await followTrunk(repository, trunk));
    });
  };
  return {
    input,
    tampering,
    repository,
    place,
    trunk,
    hastyTrunk,
    pulls,
    rules,
    gates,
    gateGround,
    gateHome,
    train,
    open,
    proven,
    background,
    findUntrusted,
    requireTip,
    follow,
    tellFollowing,
    followBeside,
    followed: () => following,
  };
}

/** As for the API of a model: an outage passes. */
const waiting = ({ config, stop, tell, isPatient = false }: GroundInput): Omit<Remote, 'name' | 'refs'> => ({
  patienceMs: isPatient ? Number.POSITIVE_INFINITY : config.limits.outage_minutes * 60_000,
  stop: stop.now,
  onOutage: (reason) => tell({ kind: 'refused', reason }),
});

const withRemote = (trunk: Trunk, change: Partial<Remote>): Trunk =>
  trunk.remote === null ? trunk : { ...trunk, remote: { ...trunk.remote, ...change } };

/** Only a run that waits for everything waits for a remote that has never answered. */
async function requireRemote(repository: Place, trunk: Trunk, remote: Remote, { isPatient }: GroundInput) {
  await requireKnownRemote(repository, remote);
  await advanceTrunk(repository, isPatient === true ? trunk : withRemote(trunk, { patienceMs: 0 }));
}

function reportFollowing(tell: GroundInput['tell'], { branch }: Trunk, following: Following): void {
  if (following.kind === 'followed') tell({ ...following, kind: 'checkout_followed', branch });
  if (following.kind === 'waits') tell({ ...following, kind: 'checkout_waits', branch });
}

/** The commit that the session works on. */
export const sessionBase = ({ open }: Pick<SlotRun, 'open'>, { session }: Claim): string =>
  open.get(session.id)?.base ?? session.base_commit ?? '';

export function sessionSlot({ open }: Pick<SlotRun, 'open'>, { session }: Claim): Slot {
  const found = open.get(session.id);
  if (found === undefined) throw new Error(`Session ${session.id} has no slot.`);
  return found.slot;
}
