// Verifies a "done" that was worked on in a slot, and lands it: the tree that the gates judged is the tree of the commit that the
// trunk gets. Every step can be repeated after a crash: work and candidate are refs, and a landed commit is found by its trailer.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { type GateResult, type KnownGate, NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { NotLanded } from '../../domain/sessions/landing.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { type Closing, doneSummary } from '../../domain/sessions/signal.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import { requireNoSecrets, type SecretRules } from '../commits/scan-secrets.ts';
import { readSigning, type Signing } from '../commits/signing.ts';
import { taskMessage } from '../commits/task-commit.ts';
import { UNCLAIMED, unlessAccepted } from '../gates/baseline-gates.ts';
import { findHooksIn } from '../gates/hooks.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { sessionDir } from '../session-folder.ts';
import { requireWhole, takeSlot } from '../slots/fill-slot.ts';
import type { Slot } from '../slots/slot.ts';
import { readSlotSession, workSlot } from '../slots/slot-pool.ts';
import type { Baseline, ClaimedTask, Verifier } from '../verify.ts';
import { gatesMarker } from '../verify.ts';
import { requireNoLinks } from '../work/session-base.ts';
import { type Candidate, findMarkers, makeCandidate } from './candidate.ts';
import { type Following, followTrunk } from './follow.ts';
import { diffStat, findLanded, landCommit } from './land-commit.ts';
import { landProgress } from './land-progress.ts';
import { commitsBetween } from './merge.ts';
import { mergePersonsCommits } from './persons-commits.ts';
import { regenerateWith } from './regenerate.ts';
import { type GateGround, gateLogs, inGateSlot, isRed, runGatesIn, type SlotGateRun } from './slot-gates.ts';
import { runSlotHooks } from './slot-hooks.ts';
import { NO_SPECULATION, type Speculation, speculate } from './speculate.ts';
import type { Train } from './train.ts';
import { advanceTrunk, type Trunk, takeRewritten, trunkStanding } from './trunk.ts';
import {
  candidateRef,
  dropTaskWork,
  plainCommit,
  readSessionWork,
  saveSessionWork,
  saveTaskWork,
  type WorkCommit,
} from './work-refs.ts';

type SlotSessionFields = Pick<Session, 'id' | 'base_commit'> & { slot?: number | null };
export type SlotClaim = Omit<ClaimedTask, 'session'> & { session: SlotSessionFields };

export type SlotVerifierInput<Live extends SlotClaim> = GateListeners & {
  ground: GateGround;
  trunk: Trunk;
  train: Train;
  /** Read and trusted before the first session. */
  config: Config;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  secrets: SecretRules;
  stop?: AbortSignal;
  accepted: readonly string[];
  /** Whether what judges the work in this folder is what a person trusted; the question to that person if not. */
  findUntrusted(root: string): Promise<string | null>;
  /** For gates that ran again because another session had landed first. */
  saveGates(live: Live, results: readonly GateResult[]): Promise<void>;
  /** All sessions that the task has had. */
  sessionsOf(task_id: number): Promise<readonly string[]>;
  onWork(session_id: string, work: { commit: string; files: readonly string[] }): Promise<void>;
  onLanding(live: SlotClaim): Promise<void>;
  onDefinitions(live: SlotClaim, files: readonly string[]): void;
  onFollowing(following: Following): void;
  onUnsigned(reason: string): void;
};

export type SlotVerifier<Live extends SlotClaim> = Verifier<Live> & {
  /** The commit that a session landed before its supervisor was killed; null if none. */
  landedCommit(live: SlotClaim): Promise<string | null>;
  saveUnfinished(live: SlotClaim): Promise<void>;
  /** Lets the next session land. */
  leave(session_id: string): void;
  discard(live: SlotClaim): Promise<void>;
};

type Judged = Candidate & { message: string; signing: Signing | null };

export function createSlotVerifier<Live extends SlotClaim>(
  input: SlotVerifierInput<Live>,
): SlotVerifier<Live> {
  const { ground, trunk, train, config, knownGates } = input;
  const repository = ground.place.repository;
  const judged = new Map<string, Judged>();

  /** Taken once: from then on only the ref counts, whatever happens to the slot. */
  const takeWork = async (live: SlotClaim): Promise<WorkCommit> => {
    const { id: session_id, base_commit: base, slot: number } = live.session;
    const known = await readSessionWork(repository, session_id);
    if (known !== null) return known;
    const slot = number === null || number === undefined ? null : workSlot(ground.place, number);
    const holder = slot === null ? null : await readSlotSession(slot);
    if (slot === null || base === null || holder?.session_id !== session_id)
      throw new MachineFailed(`The slot of session ${session_id.slice(0, 8)} no longer holds its files.`);
    const task_id = live.task.id;
    // Until a ref holds the tree.
    const work = await holdingOffGc(repository, async () => {
      const taken = await takeSlot(slot, base, ground.rules.included);
      if (taken.definitions.length > 0) input.onDefinitions(live, taken.definitions);
      requireWhole(task_id, taken, slot);
      return saveSessionWork(repository, { session_id, task_id, base, tree: taken.tree });
    });
    const changes = await changesBetween(repository, await treeOfCommit(repository, base), work.tree);
    const files = changes.map(({ path }) => pathText(path));
    await input.onWork(session_id, { commit: work.commit, files });
    return work;
  };

  const landedCommit = ({ session }: SlotClaim): Promise<string | null> =>
    findLanded(repository, trunk, `Ralph-Session: ${session.id}`, session.base_commit);

  /** Merges the work onto the trunk, and judges that. */
  const judge = async (live: SlotClaim, done: Closing): Promise<GateResult[]> => {
    const { session, task } = live;
    const work = await takeWork(live);
    const turn = train.enter(session.id, task.id);
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
      if (!isFirst) await input.onLanding(live);
      return await judgeFirst(live, done, work, speculation);
    } finally {
      await speculation.end();
    }
  };

  /** A hook may change the tree, and the only slot for gates belongs to the first of the train. */
  const maySpeculate = config.land.speculate && ground.gatesAtOnce > 1 && config.commit_hooks !== 'run';

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
      commit: run.tree,
      gates: config.gates,
      logFolder: gateLogs(sessionDir(repository.stateDir, session.id)),
      marker: markerVariable(gatesMarker(session.id)),
      known,
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
  ): Promise<GateResult[]> => {
    const { session, task } = live;
    const standing = await mergePersonsCommits(repository, trunk, await advanceTrunk(repository, trunk), {
      ...input,
      folder: sessionDir(repository.stateDir, session.id),
    });
    const { tip } = standing;
    const signing = await readSigning(repository);
    const regenerate = regenerateWith(ground, config.land.regenerate, work);
    let message = taskMessage({
      session_id: session.id,
      task,
      summary: doneSummary(done) ?? '',
      template: config.commit_message,
    });
    // HEAD of the slot while the gates run, so a ref has to hold it.
    const hold = (tree: string): Promise<string> =>
      holdingOffGc(repository, async () => {
        const commit = await plainCommit(repository, { tree, parents: [tip], message });
        await git(repository, ['update-ref', candidateRef(session.id), commit]);
        return commit;
      });
    const made = await holdingOffGc(repository, async () => {
      const merged = await makeCandidate(repository, work, tip, regenerate);
      return { merged, commit: await hold(merged.tree) };
    });
    train.expect(session.id, made.commit);
    let candidate = made.merged;
    await requireLandable(live, candidate);
    const markers = await findMarkers(repository, candidate);
    if (markers !== null) return [markers];
    const folder = sessionDir(repository.stateDir, session.id);
    const marker = markerVariable(gatesMarker(session.id));
    const resultsBefore = await knownGates(await treeOfCommit(repository, tip));
    const warmed = await speculation.take(candidate.tree);
    const run = { resultsBefore, stop: input.stop };
    const results =
      warmed ??
      (await inGateSlot(ground, made.commit, async (slot) => {
        const hooks = config.commit_hooks === 'run' ? await findHooksIn(repository, slot.root) : null;
        const untrusted = hooks === null ? null : await input.findUntrusted(slot.root);
        if (untrusted !== null) throw new NeedsPerson(untrusted);
        const hooked = await runSlotHooks(ground, slot, {
          ...input,
          hooks,
          marker,
          folder,
          candidate,
          message,
          hold,
        });
        message = hooked.message;
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
    judged.set(session.id, { ...candidate, message, signing });
    return accepted;
  };

  /** What failed does not land now: others must not wait for it. */
  const leaveTrain =
    ({ session }: SlotClaim) =>
    (error: unknown): never => {
      train.leave(session.id);
      throw error;
    };

  const requireLandable = async ({ task }: SlotClaim, { tip, tree }: Candidate): Promise<void> => {
    const changes = await changesBetween(repository, await treeOfCommit(repository, tip), tree);
    requireNoLinks(task.id, changes);
    await requireNoSecrets(repository, task.id, changes, input.secrets);
  };

  /** The work has landed, and no later failure may undo that. Later landings and the end of the run try again. */
  const follow = async (): Promise<void> => {
    if (!config.land.update_checkout) return;
    input.onFollowing(await followTrunk(repository, trunk).catch(ifMachineFailed));
  };

  return {
    landedCommit,
    isUnchanged: async (live) => {
      if ((await landedCommit(live)) !== null) return false;
      const { tree, base } = await takeWork(live);
      return tree === (await treeOfCommit(repository, base));
    },
    runBaseline: async (claimed): Promise<Baseline> => {
      const { base_commit, id } = claimed.session;
      if (base_commit === null || config.gates.length === 0) return { ran: [], all: [] };
      const tree = await treeOfCommit(repository, base_commit);
      const known = await knownGates(tree);
      const unknown = config.gates.filter((gate) => !known.some(({ name }) => name === gate.name));
      const ran =
        unknown.length === 0
          ? []
          : await inGateSlot(ground, base_commit, async (slot) => {
              const untrusted = await input.findUntrusted(slot.root);
              if (untrusted !== null) throw new NeedsPerson(untrusted);
              return runGatesIn(ground, slot, {
                commit: base_commit,
                tree,
                gates: unknown,
                logFolder: `${sessionDir(repository.stateDir, id)}/gates-before`,
                marker: markerVariable(gatesMarker(id)),
                known,
                sessionResults: [],
                resultsBefore: [],
                stop: input.stop,
                listeners: input,
                isBaseline: true,
              });
            });
      const before = known.filter(({ name }) => !unknown.some((gate) => gate.name === name));
      const unsaved = known.flatMap(({ session_id, baseline: _, ...result }) =>
        session_id === UNCLAIMED ? [result] : [],
      );
      return { ran: [...unsaved, ...ran], all: [...before, ...ran] };
    },
    runGates: async (live, done) => {
      const landed = await landedCommit(live);
      if (landed === null) return judge(live, done).catch(leaveTrain(live));
      const known = await knownGates(await treeOfCommit(repository, landed));
      return known.filter(({ session_id, baseline }) => session_id === live.session.id && !baseline);
    },
    commit: async (live, done) => {
      for (;;) {
        const landed = await landedCommit(live);
        if (landed !== null) {
          await follow();
          return landedWork(repository, landed);
        }
        const proven = judged.get(live.session.id);
        await train.enter(live.session.id, live.task.id);
        const { tip, message, tree, signing } = proven ?? (await requireJudged(live));
        // As in the checkout: no empty commit for a done without a change.
        if (tree === (await treeOfCommit(repository, tip))) return { ...NO_WORK, tree_hash: tree };
        // Gates take minutes. What a person replaced meanwhile must not land again below this work.
        await takeRewritten(repository, trunk, await trunkStanding(repository, trunk));
        const commit = await landCommit(repository, trunk, { tip, tree, message, signing, ...input });
        if (commit !== null) {
          await follow();
          return landedWork(repository, commit);
        }
        // Another process or a person has moved the trunk: what was proven is not what would land now.
        const again = await judge(live, done).catch(leaveTrain(live));
        await input.saveGates(live, again);
        if (isRed(again)) throw new NotLanded({ kind: 'red', onto: tip, others: [] }, again);
      }
    },
    commitFinished: (feature: FeatureWork) =>
      config.progress_file === null
        ? Promise.resolve(NO_WORK)
        : landProgress(ground, trunk, train, feature, { ...input, file: config.progress_file, follow }),
    saveUnfinished: async (live) => {
      if ((await landedCommit(live)) !== null) return;
      await saveTaskWork(repository, live.task.id, await takeWork(live));
    },
    leave: (session_id) => train.leave(session_id),
    discard: async ({ task }) => dropTaskWork(repository, task.id, await input.sessionsOf(task.id)),
  };

  async function requireJudged({ session }: SlotClaim): Promise<Judged> {
    throw new Error(`Session ${session.id} was not judged.`);
  }
}

function ifMachineFailed(error: unknown): Following {
  if (error instanceof MachineFailed) return { kind: 'nothing' };
  throw error;
}

export const markerVariable = (marker: string): Record<string, string> => {
  const at = marker.indexOf('=');
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
};

async function landedWork(repository: Place, commit: string): Promise<Work> {
  // The commit has landed: no later failure may undo that.
  const diff_stat = await diffStat(repository, commit).catch(() => null);
  return { ...NO_WORK, commit, tree_hash: await treeOfCommit(repository, commit), diff_stat };
}
