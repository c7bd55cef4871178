// Judges the work of a session as it would land: merged onto the trunk, in a slot of the gates.

import type { Config } from '../../domain/config.ts';
import { withoutClosing } from '../../domain/pull-requests/without-closing.ts';
import { NeedsPerson } from '../../domain/refusal.ts';
import type { GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import { NotLanded } from '../../domain/sessions/landing.ts';
import { type Closing, doneSummary } from '../../domain/sessions/signal.ts';
import { withIdentity } from '../commits/identity.ts';
import { taskMessage } from '../commits/messages.ts';
import { requireNoLinks } from '../commits/require-committable.ts';
import { requireNoSecrets, type SecretRules } from '../commits/scan-secrets.ts';
import { commitTree, readSigning, type Signing } from '../commits/signing.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import { findHooksIn } from '../gates/hooks.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { rememberCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { holdCommit } from '../git/refs.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { allEnded } from '../processes/all-ended.ts';
import { sessionDir } from '../session-folder.ts';
import type { Slot } from '../slots/slot.ts';
import { type Candidate, findMarkers, makeCandidate } from './candidate.ts';
import { runCommitHooks } from './commit-hooks.ts';
import type { Destination, LandingPoint } from './destination.ts';
import { commitsBetween } from './merge.ts';
import { regenerateWith } from './regenerate.ts';
import {
  type GateGround,
  gateLogs,
  isRed,
  judgeInGateSlot,
  markerVariable,
  runGatesIn,
  type SlotGateRun,
  slotHookGround,
} from './slot-gates.ts';
import type { SlotClaim } from './slot-work.ts';
import { NO_SPECULATION, type Speculation, speculate } from './speculate.ts';
import type { Train } from './train.ts';
import type { Trunk } from './trunk.ts';
import { gatesMarker } from './verifier.ts';
import { candidateRef, type WorkCommit } from './work-refs.ts';

export type JudgeInput = GateListeners & {
  ground: GateGround;
  /** Whether sessions of dead runs are finished: their slot may be gone, and their work may have landed on another trunk. */
  isRecovery: boolean;
  trunk: Trunk;
  train: Train;
  /** Read and trusted before the first session. */
  config: Config;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  secrets: SecretRules;
  stop?: AbortSignal;
  accepted: readonly string[];
  /** The question to the person if what judges the work in this folder is not what they trusted; null if it is. */
  findUntrusted(root: string): Promise<string | null>;
  /** Where proven work goes. */
  destination: Destination;
  onLanding(live: SlotClaim): Promise<void>;
};

/** What would land, with the message of its commit. `commit`: the unsigned commit of exactly this that the gates had as HEAD. */
export type Judged = Candidate & {
  point: LandingPoint;
  message: string;
  signing: Signing | null;
  commit: string | null;
};

/** `judged`: null if it cannot land. */
type Judgement = { results: GateResult[]; judged: Judged | null };

export function createJudge(
  input: JudgeInput,
  takeWork: (live: SlotClaim) => Promise<WorkCommit>,
): (live: SlotClaim, done: Closing) => Promise<Judgement> {
  const { ground, train, config, knownGates, destination } = input;
  const repository = ground.place.repository;

  /** Merges the work with where it is to land, and judges that. */
  const judge = async (live: SlotClaim, done: Closing): Promise<Judgement> => {
    const { session, task } = live;
    const work = await takeWork(live);
    const turn = train.enter(session.id, task.id);
    // It may fail before it is awaited, and what comes before may throw: without this, Node would end the run.
    turn.catch(() => {});
    await input.onLanding(live);
    const isFirst = train.behind(session.id).length === 0;
    const speculation =
      isFirst || !maySpeculate
        ? NO_SPECULATION
        : speculate({
            ground,
            train,
            session_id: session.id,
            work,
            judge: (slot, tree, stop) => judgeIn(live, slot, { tree, resultsBefore: [], stop }),
          });
    try {
      await turn;
      await speculation.predicted();
      if (!isFirst) await input.onLanding(live);
      return await judgeFirst(live, done, work, speculation);
    } finally {
      await speculation.end();
    }
  };

  /** A hook may change the tree, and the only slot for gates belongs to the first of the train. */
  const maySpeculate =
    config.land.speculate &&
    config.land.target === 'branch' &&
    ground.gatesAtOnce > 1 &&
    config.commit_hooks !== 'run';

  /** Nothing runs on the tree of a session, and what would judge it was checked in the session's own slot. */
  const judgesNothing = config.gates.length === 0 && config.commit_hooks !== 'run' && !input.isRecovery;

  /** Runs the gates of the configuration on a tree that is in the slot. */
  const judgeIn = async (
    { session }: SlotClaim,
    slot: Slot,
    run: Pick<SlotGateRun, 'tree' | 'resultsBefore' | 'stop'>,
  ): Promise<GateResult[]> => {
    const untrusted = await input.findUntrusted(slot.root);
    if (untrusted !== null) throw new NeedsPerson(untrusted);
    const known = await knownGates(run.tree);
    return runGatesIn(ground, slot, {
      ...run,
      gates: config.gates,
      logFolder: gateLogs(sessionDir(repository.stateDir, session.id)),
      marker: markerVariable(gatesMarker(session.id)),
      sessionResults: known.filter(({ session_id, baseline }) => session_id === session.id && !baseline),
      listeners: input,
    });
  };

  /** It is this session's turn: nothing else of this process moves the trunk meanwhile. */
  const judgeFirst = async (
    live: SlotClaim,
    done: Closing,
    work: WorkCommit,
    speculation: Speculation,
  ): Promise<Judgement> => {
    const { session, task } = live;
    const point = await destination.point(live);
    const { tip, parents } = point;
    const signing = await readSigning(repository);
    const regenerate = regenerateWith(ground, config.land.regenerate, work, candidateRef(session.id));
    const plain = config.land.target === 'branch' ? (text: string) => text : withoutClosing;
    let message = taskMessage({
      session_id: session.id,
      task: { ...task, title: plain(task.title) },
      summary: plain(doneSummary(done) ?? ''),
      template: config.commit_message,
    });
    const named = await withIdentity(repository);
    let held = { commit: '', tree: '', message: '' };
    // HEAD of the slot while the gates run, so a ref has to hold it.
    const hold = (tree: string): Promise<string> =>
      holdingOffGc(repository, async () => {
        const commit = await commitTree(named, { tree, parents, message }, null, () => {});
        await holdCommit(repository, candidateRef(session.id), commit);
        rememberCommit(commit, { tree, parent: parents[0] ?? tip });
        held = { commit, tree, message };
        return commit;
      });
    const made = await makeCandidate(repository, work, tip, regenerate, async (merged) => {
      // Beside each other: each of them waits for git.
      const [markers, commit] = await allEnded([
        findMarkers(repository, { tip: point.clean, tree: merged.tree }),
        judgesNothing && merged.tree === work.tree ? null : hold(merged.tree),
        requireLandable(input, live.task.id, tip, merged.tree),
      ]);
      return { merged, commit, markers };
    });
    if (made.markers !== null && point.conflicts.length > 0 && work.base !== tip)
      throw new NotLanded({ kind: 'conflict', paths: point.conflicts, onto: point.clean, others: [] });
    if (made.markers !== null) return { results: [made.markers], judged: null };
    if (made.commit === null)
      return { results: [], judged: { ...made.merged, point, message, signing, commit: null } };
    train.expect(session.id, made.commit);
    let candidate = made.merged;
    const folder = sessionDir(repository.stateDir, session.id);
    const marker = markerVariable(gatesMarker(session.id));
    const resultsBefore = await knownGates(await treeOfCommit(repository, tip));
    // While they ran, the result of the gates on the commit below was not known yet.
    const warmed = withBefore(await speculation.take(candidate.tree), resultsBefore);
    const run = { resultsBefore, stop: input.stop };
    const results =
      warmed ??
      (await judgeInGateSlot(ground, { commit: made.commit, trunkTip: point.clean }, async (slot) => {
        const hooks = config.commit_hooks === 'run' ? await findHooksIn(repository, slot.root) : null;
        const untrusted = hooks === null ? null : await input.findUntrusted(slot.root);
        if (untrusted !== null) throw new NeedsPerson(untrusted);
        const hooked = await runCommitHooks(slotHookGround(ground, slot, marker, hold), {
          ...input,
          hooks,
          names: config.env,
          folder,
          candidate,
          message,
        });
        message = hooked.message ?? message;
        candidate = { ...candidate, tree: hooked.tree };
        if (isRed(hooked.results)) return hooked.results;
        return [...hooked.results, ...(await judgeIn(live, slot, { ...run, tree: candidate.tree }))];
      }));
    const accepted = results.map(unlessAccepted(input.accepted, resultsBefore));
    if (isRed(accepted) && work.base !== tip)
      throw new NotLanded(
        { kind: 'red', onto: tip, others: await commitsBetween(repository, work.base, tip, null) },
        accepted,
      );
    const isHeld = held.tree === candidate.tree && held.message === message;
    const commit = isHeld ? held.commit : null;
    return { results: accepted, judged: { ...candidate, point, message, signing, commit } };
  };

  return judge;
}

/** What no gate looks at. `tip`: the commit below. */
export async function requireLandable(
  { ground, secrets }: Pick<JudgeInput, 'ground' | 'secrets'>,
  task_id: number,
  tip: string,
  tree: string,
): Promise<void> {
  const { repository } = ground.place;
  const changes = await changesBetween(repository, await treeOfCommit(repository, tip), tree);
  requireNoLinks(task_id, changes);
  await requireNoSecrets(repository, task_id, changes, secrets);
}

const withBefore = (
  results: readonly GateResult[] | null,
  before: readonly GateResult[],
): GateResult[] | null =>
  results?.map((gate) => ({
    ...gate,
    was_red: before.some(({ definition, passed }) => definition === gate.definition && !passed),
  })) ?? null;
