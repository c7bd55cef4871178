// Sessions work in the person's checkout, one at a time. With git, each begins in a clean checkout, and what it does not finish
// is held by refs and leaves the checkout again.

import { join, relative } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { runBaselineGates } from '../../host/gates/baseline-gates.ts';
import { headCommit } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { type Place, restoreExcludes } from '../../host/git/own-git.ts';
import { rawPath } from '../../host/git/raw-path.ts';
import { removeStaleLocks } from '../../host/git/stale-lock.ts';
import { takeTree } from '../../host/git/work-tree.ts';
import { type Checkout, dirtyText, lookAtCheckout, type Standing } from '../../host/in-place/checkout.ts';
import { openInPlace, takeOutWork } from '../../host/in-place/open-session.ts';
import { createInPlaceVerifier } from '../../host/in-place/verifier.ts';
import { readSessionWork } from '../../host/landing/work-refs.ts';
import { insideCheckout, sessionHome } from '../../host/sandbox/inside.ts';
import { addIncludedSecrets } from '../../host/slots/include-files.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { type LiveSession, recordWork } from '../../queue/sessions/live-session.ts';
import { isSessionOver } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { addComment } from '../../queue/tasks/comment.ts';
import { featureWork, uncommittedTasks } from '../../queue/tasks/features.ts';
import { show } from '../../queue/tasks/show.ts';
import { cleanUpAfterDead } from '../clean-up.ts';
import type { GroundInput } from '../input.ts';
import type { TamperDetector } from '../sessions/tampering.ts';
import { openBackground } from './background.ts';
import { earlierWorkText } from './earlier-work.ts';
import type { EffectsInput, Ground, GroundEffects } from './ground.ts';
import { dropSettledRefs } from './settled-refs.ts';

export const NO_COMMIT =
  'The repository has no commit yet, and every session starts from one; make a first commit: git add -A && git commit -m "Start".';

export function inPlaceGround(input: GroundInput, tampering: TamperDetector): Ground {
  const { queue, root, env, stateDir, config, tell } = input;
  const place: Place = { root, env, stateDir };
  const enclosure = input.sandbox.enclose(insideCheckout(place, 'gate', { home: null }));
  const checkout: Checkout = { place, policy: config.commit, ownFiles: mirrorPaths(input) };
  const found = findGit(root);
  /** Sessions that began with earlier work of their task. */
  const resumed = new Set<string>();
  const standing = async () => (found === null ? null : lookAtCheckout(checkout));
  /** What `whyNotReady` found, for the `tip` right after it: a look takes git several processes. `open` looks again. */
  let clean: Standing | null = null;
  const background = openBackground();

  const verifierFor = (effects: EffectsInput) =>
    createInPlaceVerifier<LiveSession>({
      ...effects,
      checkout,
      enclosure,
      config,
      stop: input.stop.now,
      accepted: input.baseline.accepted,
      featureWork: (live) => featureWork(queue, live, config.verify_feature),
      uncommittedTasks: () => uncommittedTasks(queue, root),
      sessionsOf: async (task_id) => (await show(queue, task_id)).sessions.map(({ id }) => id),
      onWork: (session_id, work) => recordWork(queue, session_id, work),
    });

  /** Work that is not done leaves the checkout, once refs hold it. */
  const takeOut = async ({ session, task }: Claim): Promise<void> => {
    if (found === null || !(await isSessionOver(queue, session.id))) return;
    if ((await show(queue, task.id)).status === 'done') return;
    await verifierFor(QUIET).saveUnfinished({ session, task });
    const work = await readSessionWork(place, session.id);
    if (work !== null) await takeOutWork(place, { session_id: session.id, task_id: task.id }, work);
  };

  return {
    kind: 'checkout',
    jobs: 1,
    whyNotReady: async () => {
      if (found !== null && (await headCommit(place)) === null) return NO_COMMIT;
      const now = await standing();
      clean = now?.kind === 'clean' ? now : null;
      return now?.kind === 'dirty' ? dirtyText(now.files) : null;
    },
    tip: async () => {
      const now = clean ?? (await standing());
      clean = null;
      return now?.kind === 'clean' ? now.base : null;
    },
    beforeRecovery: () => cleanUpAfterDead(queue, place),
    afterRecovery: async () => {
      if (found === null) return;
      // It cleans the checkout of what refs hold.
      await catchHindrance(standing);
      await catchHindrance(() => dropSettledRefs(place, queue));
    },
    runBaseline: async (baseline) =>
      (await standing())?.kind === 'dirty'
        ? null
        : runBaselineGates(place, config.gates, { ...baseline, enclosure }),
    open: async (claim) => {
      const { session, task } = claim;
      await background.before(task.id);
      await addIncludedSecrets(place);
      const home = sessionHome(input.slotsFolder, session.id);
      const opened = { root, slot: null, inside: insideCheckout(place, 'agent', { home }), env: {} };
      if (found === null) return { ...opened, tree: null };
      const { tree, earlier } = await openInPlace(place, {
        session_id: session.id,
        task_id: task.id,
        base: claim.session.base_commit ?? '',
        adopts: input.isBeside !== true,
      });
      if (earlier.kind !== 'none') resumed.add(session.id);
      const text = await earlierWorkText(place, task.id, claim.session.base_commit ?? '', earlier);
      if (text !== null) await addComment(queue, task.id, text);
      return { ...opened, tree };
    },
    shareWhileAtWork: () => ({ stop: async () => {} }),
    beginBackground: background.begin,
    isTampered: async ({ session, task }) =>
      !resumed.has(session.id) && (await tampering.findTampering(task.id)) !== null,
    afterAgent: async (claim) => {
      // The agent's git processes were killed with it and may have left locks.
      await removeStaleLocks(place, claim.session.started);
      if (await restoreExcludes(place)) tell({ kind: 'excludes_restored', claim });
    },
    hasChanged: async ({ session }, before) => {
      if (before === null || found === null) return true;
      try {
        const work = await readSessionWork(place, session.id);
        return (work?.tree ?? (await takeTree(place))?.tree) !== before;
      } catch (error) {
        if (error instanceof MachineFailed) return true;
        throw error;
      }
    },
    effects: (effects): GroundEffects => {
      const verifier = verifierFor(effects);
      return {
        ...verifier,
        settled: async (live, { status }) => {
          if (status !== 'done') return;
          // The task is settled. Refs that stay because git fails are dropped by the next run.
          background.later(live.task.id, () => verifier.discard(live).catch(() => {}));
        },
        findTampering: (live) => tampering.findTampering(live.task.id),
        hasLanded: async (live) => (await verifier.landedCommit(live)) !== null,
        reviewGround: () => undefined,
        pauseLanding: () => {},
      };
    },
    close: async (claim) => {
      resumed.delete(claim.session.id);
      await catchHindrance(() => takeOut(claim));
    },
    end: background.ended,
    release: async () => {},
  };
}

/** Nothing runs and nothing is judged. */
const QUIET: EffectsInput = {
  isRecovery: true,
  knownGates: async () => [],
  secrets: { questions: async () => [], allowed: async () => () => false },
  onUnsigned: () => {},
};

/** From the top of the repository. */
function mirrorPaths({ root, config }: GroundInput): string[] {
  const worktree = findGit(root)?.worktree ?? root;
  return config.mirror === null ? [] : [rawPath(relative(worktree, join(root, config.mirror)))];
}
