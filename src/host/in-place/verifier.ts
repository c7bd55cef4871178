// Verifies a "done" that was worked on in the checkout. As in a slot, a ref holds the work before any gate runs, and a commit is
// found by its trailer after a crash. Unlike there, gates see whatever else the checkout holds, such as ignored files.
import { NO_WORK } from '../../domain/sessions/gate.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import { featureMessage } from '../commits/messages.ts';
import { progressPath } from '../commits/progress-entry.ts';
import { requireCommittable } from '../commits/require-committable.ts';
import { UNCLAIMED } from '../gates/baseline-gates.ts';
import { treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { findLanded, landedWork } from '../landing/land-commit.ts';
import type { ClaimedTask, WorkVerifier } from '../landing/verifier.ts';
import {
  dropTaskWork,
  readSessionWork,
  saveTaskWork,
  type TakeInput,
  workTaker,
} from '../landing/work-refs.ts';
import { requireTree } from './checkout.ts';
import { type CommitRules, clearUp, commitWork, type JudgedWork } from './commit-work.ts';
import { exemptPaths } from './exempt.ts';
import { commitFinished, withEntry } from './feature-work.ts';
import {
  checkMessage,
  type JudgeInput,
  judgeInPlace,
  makesCommits,
  requireLandable,
  requireRecord,
  runGatesInPlace,
} from './judge-in-place.ts';
import { moveFiles } from './move-files.ts';
import { branchRef, readSessionRecord } from './session-record.ts';

type InPlaceInput<Live extends ClaimedTask> = JudgeInput &
  CommitRules & {
    /** The work of the task's whole feature; null while the feature is not complete. */
    featureWork(live: Live): Promise<FeatureWork | null>;
    /** All sessions that the task has had. */
    sessionsOf(task_id: number): Promise<readonly string[]>;
    onWork: TakeInput<ClaimedTask>['onWork'];
    /** Whether sessions of dead runs are finished: what they committed counts. */
    isRecovery: boolean;
  };

/** Without git, gates alone prove a done, and nothing is committed or kept. */
export function createInPlaceVerifier<Live extends ClaimedTask>(
  input: InPlaceInput<Live>,
): WorkVerifier<Live> {
  const { checkout, config, knownGates } = input;
  const { place } = checkout;
  const hasGit = findGit(place.root) !== null;
  const judgedWork = new Map<string, JudgedWork>();

  const takeWork = workTaker<ClaimedTask>({
    repository: place,
    onWork: input.onWork,
    take: async ({ session, task }) => {
      const { submodules } = await requireRecord(checkout, session.id);
      const base = session.base_commit ?? '';
      const taken = await requireTree(place, await treeOfCommit(place, base));
      requireCommittable(task.id, submodules, taken);
      return { base, tree: taken.tree };
    },
  });

  /** An agent in the checkout can write such a commit, too: one counts only after the gates, or with all that a ref holds. */
  const landedCommit = async ({ session }: ClaimedTask): Promise<string | null> => {
    if (!input.isRecovery && !(makesCommits(config) && judgedWork.has(session.id))) return null;
    const record = hasGit ? await readSessionRecord(place, session.id) : null;
    const work = record === null ? null : await readSessionWork(place, session.id);
    if (record === null || work === null) return null;
    const trailer = `Ralph-Session: ${session.id}`;
    const found = await findLanded(place, { ref: branchRef(record) }, trailer, session.base_commit);
    return found !== null && (await holdsWork(found, work.tree)) ? found : null;
  };

  const holdsWork = async (commit: string, tree: string): Promise<boolean> => {
    const entry = config.progress_file === null ? null : progressPath(place, config.progress_file);
    const changes = await changesBetween(place, await treeOfCommit(place, commit), tree);
    const exempt = await exemptPaths(checkout, changes);
    return changes.every(({ path }) => path === entry || exempt.has(path));
  };

  return {
    landedCommit,
    isUnchanged: async (live) => {
      if (!hasGit || (await landedCommit(live)) !== null) return false;
      const { tree, base } = await takeWork(live);
      return tree === (await treeOfCommit(place, base));
    },
    // Gates may leave files in the checkout, and a session begins only in a clean one: so none run here.
    runBaseline: async ({ session: { base_commit } }) => {
      if (base_commit === null) return { ran: [], all: [] };
      const all = await knownGates(await treeOfCommit(place, base_commit));
      const ran = all.flatMap(({ session_id, baseline: _, ...result }) =>
        session_id === UNCLAIMED ? [result] : [],
      );
      return { ran, all };
    },
    runGates: async (live, done) => {
      if (!hasGit) return runGatesInPlace(input, live, null);
      const work = await takeWork(live);
      // The process that proved it is dead, and only its own results could spare these gates.
      if ((await landedCommit(live)) !== null) {
        await requireLandable(input, live.task.id, work);
        return runGatesInPlace(input, live, work);
      }
      const { results, judged } = await judgeInPlace(input, live, done, work);
      if (judged !== null) judgedWork.set(live.session.id, judged);
      return results;
    },
    commit: async (live) => {
      const work = judgedWork.get(live.session.id);
      if (!hasGit) return NO_WORK;
      const isFeature = config.commit === 'feature';
      const feature = isFeature && live.task.feature !== null ? await input.featureWork(live) : null;
      const landed = await landedCommit(live);
      if (landed !== null) {
        const others = isFeature ? await input.uncommittedTasks() : [];
        await clearUp(place, landed);
        await showEntry(feature, (await takeWork(live)).tree);
        const covers = [...(feature?.tasks.map(({ id }) => id) ?? []), ...others];
        return { ...(await landedWork(place, landed)), covers };
      }
      if (work === undefined) throw new Error(`Session ${live.session.id} was not judged.`);
      if (feature === null) return commitWork(input, live.task.id, work, null);
      const message = featureMessage(feature, config.commit_message, work.others);
      const committed = await commitWork(input, live.task.id, work, {
        work: feature,
        message: await checkMessage(input, live.session.id, message),
        tree: await withEntry(input, feature, work.tree),
      });
      await showEntry(feature, work.tree);
      return committed;
    },
    commitFinished: async (feature) => (hasGit ? commitFinished(input, feature) : NO_WORK),
    saveUnfinished: async (live) => {
      const isOpened = hasGit && (await readSessionRecord(place, live.session.id)) !== null;
      if (!isOpened || (await landedCommit(live)) !== null) return;
      await saveTaskWork(place, live.task.id, await takeWork(live));
    },
    discard: async ({ task }) => {
      if (hasGit) await dropTaskWork(place, task.id, await input.sessionsOf(task.id));
    },
  };

  /** The commit has the entry already; the file in the checkout gets it unless a person has changed it. */
  async function showEntry(feature: FeatureWork | null, tree: string): Promise<void> {
    if (feature !== null) await moveFiles(place, tree, await withEntry(input, feature, tree));
  }
}
