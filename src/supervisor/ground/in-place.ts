// Sessions work in the person's checkout, one at a time.
import { updateIndexForLastCommit } from '../../host/commits/land.ts';
import { runBaselineGates } from '../../host/gates/baseline-gates.ts';
import { headCommit } from '../../host/git/git.ts';
import type { Place } from '../../host/git/own-git.ts';
import { saveIndex } from '../../host/git/saved-index.ts';
import { removeStaleLocks } from '../../host/git/stale-lock.ts';
import { type TakenTree, takeTree } from '../../host/git/work-tree.ts';
import { insideCheckout, sessionHome } from '../../host/sandbox/inside.ts';
import { createVerifier } from '../../host/verify.ts';
import { undoAgentsMoves } from '../../host/work/branch.ts';
import { isWorkChanged } from '../../host/work/changed-work.ts';
import { openBase } from '../../host/work/session-base.ts';
import { discardWork, saveUnfinished } from '../../host/work/unfinished-work.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { featureWork } from '../../queue/tasks/features.ts';
import type { Agent } from '../agents/agent.ts';
import { cleanUpAfterDead, discardWorkOfDoneTasks } from '../clean-up.ts';
import type { SupervisorInput } from '../input.ts';
import { makeReady } from '../prepare.ts';
import { restoreGit } from '../restore.ts';
import type { TamperDetector } from '../tampering.ts';
import { watchWrittenElsewhere } from '../written-elsewhere.ts';
import type { Ground, GroundEffects } from './ground.ts';

export function inPlaceGround(input: SupervisorInput, agent: Agent, tampering: TamperDetector): Ground {
  const { queue, root, env, stateDir, config } = input;
  const place: Place = { root, env, stateDir };
  const elsewhere = watchWrittenElsewhere(input);
  const enclosure = input.sandbox.enclose(insideCheckout(place, 'gate', { home: null }));
  const now = async (): Promise<string | null> => (await takeTree(place))?.tree ?? null;
  return {
    jobs: 1,
    tip: () => headCommit(place),
    beforeRecovery: () => cleanUpAfterDead(queue, place),
    afterRecovery: async () => {
      await discardWorkOfDoneTasks(queue, place, { keepTrees: config.commit === 'feature' });
      await catchHindrance(() => updateIndexForLastCommit(place));
    },
    runBaseline: async (baseline) => {
      await elsewhere.beforeSession();
      return runBaselineGates(place, config.gates, { ...baseline, enclosure });
    },
    open: async (claim, known) => {
      const isChanged = await elsewhere.beforeSession();
      const tree = await makeReady(input, claim, isChanged ? null : known);
      const home = sessionHome(input.slotsFolder, claim.session.id);
      return { root, slot: null, inside: insideCheckout(place, 'agent', { home }), env: {}, tree };
    },
    takeTree: now,
    isTampered: async ({ task }) => (await tampering.findTampering(task.id)) !== null,
    beforeAgent: async ({ session, task }) => {
      await saveIndex(place, session.id);
      await openBase(place, { session_id: session.id, task_id: task.id });
    },
    afterAgent: async (claim, { files }) => {
      // The agent's git processes were killed with it and may have left locks.
      await removeStaleLocks(place, claim.session.started);
      await restoreGit(input, claim);
      await elsewhere.afterSession(claim, files);
    },
    hasChanged: async (_, before, { files, unnamed_writes }, known) => {
      const after = known ?? (await now());
      if (before === null || after === null) return true;
      return isWorkChanged(place, before, after, { files, unnamed: unnamed_writes || !agent.namesWrites });
    },
    effects: (effects): GroundEffects => {
      let judged: TakenTree | null = null;
      const onTaken = (tree: TakenTree): void => {
        judged = tree;
        effects.onTaken(tree);
      };
      return {
        ...createVerifier({
          ...effects,
          place,
          enclosure,
          rules: async () => config,
          featureWork: (live) => featureWork(queue, live, config.verify_feature),
          stop: input.stop.now,
          accepted: input.baseline.accepted,
          onTaken,
        }),
        saveUnfinished: async ({ task, session }, gates) => {
          const subject = { task_id: task.id, session_id: session.id };
          const taken = await saveUnfinished(place, subject, gates.length > 0 ? judged : null, {
            agentCommits: config.commit === 'agent',
          });
          if (taken !== null) effects.onTaken(taken);
        },
        settled: async ({ task }, { status }) => {
          if (status === 'done')
            await discardWork(place, task.id, { keepTrees: config.commit === 'feature' });
        },
        findTampering: ({ task }) => tampering.findTampering(task.id),
        undoMoves: async ({ session }) => {
          await undoAgentsMoves(place, session, { mayCommit: config.commit === 'agent' });
        },
        hasLanded: async () => false,
        reviewGround: () => undefined,
        pauseLanding: () => {},
      };
    },
    close: async () => {},
    // A person's git may have locked the index. Without this their next commit would undo the last task's.
    end: async () => void (await catchHindrance(() => updateIndexForLastCommit(place))),
  };
}
