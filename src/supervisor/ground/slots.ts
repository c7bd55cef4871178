// Sessions work in slots, several at the same time. Their work lands on the trunk, and the person's checkout follows it.
import { readSessionWork } from '../../host/landing/work-refs.ts';
import { cleanSpareSlots } from '../../host/slots/clean-slots.ts';
import { takeSlot } from '../../host/slots/fill-slot.ts';
import { clearGateHomes } from '../../host/slots/gate-files.ts';
import { addCopiedSecrets } from '../../host/slots/include-files.ts';
import { freeSlots, listSlots } from '../../host/slots/slot-pool.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { isSessionOver } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { cleanUpAfterDead } from '../clean-up.ts';
import type { GroundInput } from '../input.ts';
import type { TamperDetector } from '../sessions/tampering.ts';
import { type Ground, releaseOnce } from './ground.ts';
import { dropSettledRefs } from './settled-refs.ts';
import { runSlotBaseline } from './slot-baseline.ts';
import { slotEffects } from './slot-effects.ts';
import { takeLateCommits, takePersonsCommits } from './slot-merge.ts';
import { openSlotRun, sessionBase, sessionSlot } from './slot-run.ts';
import { closeSlotSession, openSlotSession } from './slot-sessions.ts';
import { shareSlotWork } from './slot-wip.ts';

export async function slotGround(
  input: GroundInput,
  jobs: number,
  tampering: TamperDetector,
): Promise<Ground> {
  const { queue, tell } = input;
  const run = await openSlotRun(input, tampering);
  const release = releaseOnce(async () => {
    await run.gateHome.close();
    await clearGateHomes(run.place);
  });
  const takeTree = async (claim: Claim): Promise<string> =>
    (await takeSlot(sessionSlot(run, claim), sessionBase(run, claim), run.rules.included)).tree;
  return {
    kind: 'slots',
    jobs,
    whyNotReady: async () => null,
    tip: run.requireTip,
    beforeRecovery: async () => {
      await cleanUpAfterDead(queue, run.repository);
      // The person may have changed these files since: the work of a killed session may hold a value of then.
      for (const { slot } of await listSlots(run.place)) await addCopiedSecrets(slot, run.rules.included);
    },
    afterRecovery: async () => {
      const isOver = (id: string): Promise<boolean> => isSessionOver(queue, id);
      await freeSlots(run.place, isOver);
      const counts = { work: jobs, gates: run.gateGround.gatesAtOnce };
      // Of a large one it takes seconds. What cannot be removed stays for ralph slots clean, which says why.
      run.background.add(cleanSpareSlots(run.place, counts, queue.now(), isOver).catch(() => {}));
      await run.requireTip();
      await takePersonsCommits(run);
      await catchHindrance(() => dropSettledRefs(run.repository, queue, run.hastyTrunk.remote));
      await run.follow();
    },
    runBaseline: (baseline) => runSlotBaseline(run, baseline),
    open: async (claim) => {
      await run.background.before(claim.task.id);
      return openSlotSession(run, claim);
    },
    isTampered: async () => false,
    shareWhileAtWork: (claim) => shareSlotWork(run, claim),
    beginBackground: run.background.begin,
    afterAgent: async (claim) => tell({ kind: 'phase', claim, phase: 'proving', behind: [] }),
    hasChanged: async (claim, before) => {
      if (before === null) return true;
      const work = await readSessionWork(run.repository, claim.session.id);
      return (work?.tree ?? (await takeTree(claim))) !== before;
    },
    effects: (effects) => slotEffects(run, effects),
    close: (claim) => closeSlotSession(run, claim),
    end: async () => {
      try {
        await run.followed();
        await takeLateCommits(run);
      } finally {
        await run.background.ended();
        await release();
      }
      await run.follow();
    },
    release,
  };
}
