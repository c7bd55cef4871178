// Verifies a "done" that was worked on in a slot, and lands it: the tree that the gates judged is the tree of the commit that the
// trunk gets. Every step can be repeated after a crash: work and candidate are refs, and a landed commit is found by its trailer.
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { type GateResult, NO_WORK } from '../../domain/sessions/gate.ts';
import { NotLanded } from '../../domain/sessions/landing.ts';
import type { Closing } from '../../domain/sessions/signal.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import { UNCLAIMED, unlessAccepted } from '../gates/baseline-gates.ts';
import { findResult } from '../gates/gates.ts';
import { parentOfCommit, treeOfCommit } from '../git/git.ts';
import { type Following, followTrunk } from '../persons-branch/follow.ts';
import { sessionDir } from '../session-folder.ts';
import { type Destination, trunkDestination } from './destination.ts';
import { createJudge, type Judged, type JudgeInput, requireLandable } from './gate-merged-work.ts';
import { landProgress } from './land-progress.ts';
import { dropSharedWork, fetchSession, shareTaskWork, sharingTaker } from './shared-work.ts';
import {
  type GateGround,
  gateLogs,
  inGateSlot,
  isRed,
  judgeInGateSlot,
  markerVariable,
  runGatesIn,
} from './slot-gates.ts';
import { hasWork, type SlotClaim, type SlotWorkInput, slotWorkTaker } from './slot-work.ts';
import { readRef } from './trunk.ts';
import { type Baseline, gatesMarker, type WorkVerifier } from './verifier.ts';
import { dropTaskWork, saveSessionWork, saveTaskWork } from './work-refs.ts';

type SlotVerifierInput<Live extends SlotClaim> = Omit<JudgeInput, 'destination'> &
  SlotWorkInput & {
    /** The branches of pull requests, if work goes there instead of onto the trunk. */
    pulls?: Destination;
    ground: GateGround;
    /** For gates that ran again because another session had landed first. */
    saveGates(live: Live, results: readonly GateResult[]): Promise<void>;
    /** All sessions that the task has had. */
    sessionsOf(task_id: number): Promise<readonly string[]>;
    onFollowing(following: Following): void;
    /** Takes the work of bringing the checkout forward; without it, the session is settled after that. */
    beside?(work: () => Promise<void>): void;
    onUnsigned(reason: string): void;
    /** Unfinished work that the remote did not take. */
    onUnshared(reason: string): void;
  };

export type SlotVerifier<Live extends SlotClaim> = WorkVerifier<Live> & {
  /** Lets the next session land. */
  leave(session_id: string): void;
};

export function createSlotVerifier<Live extends SlotClaim>(
  input: SlotVerifierInput<Live>,
): SlotVerifier<Live> {
  const { ground, trunk, train, config, knownGates } = input;
  const repository = ground.place.repository;
  const judged = new Map<string, Judged>();

  const takeOwnWork = slotWorkTaker(input);
  const takeWork = sharingTaker(repository, trunk, takeOwnWork);
  /** The work has landed, and no later failure may undo that. Later landings and the end of the run try again. */
  const follow = async (): Promise<void> => {
    if (!config.land.update_checkout) return;
    input.onFollowing(await followTrunk(repository, trunk).catch(ifMachineFailed));
  };
  const followBeside = async (): Promise<void> =>
    input.beside === undefined ? follow() : input.beside(follow);
  const destination = input.pulls ?? trunkDestination(repository, { ...input, follow, followBeside });
  const judge = createJudge({ ...input, destination }, takeWork);

  /** An agent that reaches the repository can write such a commit, too. So that of a live session has to be what was judged. */
  const landedCommit = async (live: SlotClaim): Promise<string | null> => {
    const { session } = live;
    const own = judged.get(session.id);
    if (own === undefined && !input.isRecovery) return null;
    if (input.isRecovery) await fetchSession(repository, trunk, session.id);
    const found = await destination.find(live, input.isRecovery);
    if (found === null || own === undefined) return found;
    return (await treeOfCommit(repository, found)) === own.tree ? found : null;
  };

  /** What failed does not land now: others must not wait for it. */
  const judgeOrLeave = async (live: SlotClaim, done: Closing): Promise<GateResult[]> => {
    try {
      const { results, judged: found } = await judge(live, done);
      if (found !== null) judged.set(live.session.id, found);
      return results;
    } catch (error) {
      train.leave(live.session.id);
      throw error;
    }
  };

  /** If another process judged it, this one checks what has landed as if it were to land now. */
  const judgeLanded = async ({ session, task }: SlotClaim, landed: string): Promise<GateResult[]> => {
    const tree = await treeOfCommit(repository, landed);
    const below = await parentOfCommit(repository, landed);
    if (!judged.has(session.id)) {
      await requireLandable(input, task.id, below, tree);
      // A reviewer reads what has landed, which need not be what the session made: an agent can write refs at some levels.
      await saveSessionWork(repository, { session_id: session.id, task_id: task.id, base: below, tree });
    }
    const known = (await knownGates(tree)).filter(
      ({ session_id, baseline }) => session_id === session.id && !baseline,
    );
    const unproven = config.gates.some((gate) => findResult(gate, known) === undefined);
    if (!unproven) return known.map(({ session_id: _, baseline: __, ...result }) => result);
    const resultsBefore = await knownGates(await treeOfCommit(repository, below));
    return inGateSlot(ground, landed, async (slot) => {
      const untrusted = await input.findUntrusted(slot.root);
      if (untrusted !== null) throw new NeedsPerson(untrusted);
      const results = await runGatesIn(ground, slot, {
        tree,
        gates: config.gates,
        logFolder: gateLogs(sessionDir(repository.stateDir, session.id)),
        marker: markerVariable(gatesMarker(session.id)),
        sessionResults: known,
        resultsBefore,
        stop: input.stop,
        listeners: input,
      });
      return results.map(unlessAccepted(input.accepted, resultsBefore));
    });
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
      // The branch of a pull request holds work.
      const trunkTip = (await readRef(repository, trunk.ref)) ?? base_commit;
      const unknown = config.gates.filter((gate) => !known.some(({ name }) => name === gate.name));
      const ran =
        unknown.length === 0
          ? []
          : await judgeInGateSlot(ground, { commit: base_commit, trunkTip }, async (slot) => {
              const untrusted = await input.findUntrusted(slot.root);
              if (untrusted !== null) throw new NeedsPerson(untrusted);
              return runGatesIn(ground, slot, {
                tree,
                gates: unknown,
                logFolder: `${sessionDir(repository.stateDir, id)}/gates-before`,
                marker: markerVariable(gatesMarker(id)),
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
      if (landed === null) return judgeOrLeave(live, done);
      return judgeLanded(live, landed);
    },
    commit: async (live, done) => {
      for (;;) {
        const landed = await landedCommit(live);
        if (landed !== null) return destination.describe(live, landed);
        const proven = judged.get(live.session.id) ?? requireJudged(live);
        await train.enter(live.session.id, live.task.id);
        const work = await destination.land(live, proven);
        if (work !== null) return work;
        // Another process or a person has moved it: what was proven is not what would land now.
        const again = await judgeOrLeave(live, done);
        await input.saveGates(live, again);
        if (isRed(again)) throw new NotLanded({ kind: 'red', onto: proven.tip, others: [] }, again);
      }
    },
    commitFinished: (feature: FeatureWork) =>
      config.progress_file === null || input.pulls !== undefined
        ? Promise.resolve(NO_WORK)
        : landProgress(ground, trunk, train, feature, { ...input, file: config.progress_file, follow }),
    saveUnfinished: async (live) => {
      if ((await landedCommit(live)) !== null || !(await hasWork(input, live))) return;
      await saveTaskWork(repository, live.task.id, await takeOwnWork(live));
      await shareTaskWork(repository, trunk, live.task.id, input.onUnshared);
    },
    leave: (session_id) => train.leave(session_id),
    discard: async ({ task }) => {
      const sessions = await input.sessionsOf(task.id);
      await dropTaskWork(repository, task.id, sessions);
      await dropSharedWork(repository, trunk, task.id, sessions);
    },
  };

  function requireJudged({ session }: SlotClaim): never {
    throw new Error(`Session ${session.id} was not judged.`);
  }
}

function ifMachineFailed(error: unknown): Following {
  if (error instanceof MachineFailed) return { kind: 'nothing' };
  throw error;
}
