// Pushes what a session has made so far, every few minutes while its agent works.
import { shareUnfinished } from '../../host/landing/wip.ts';
import { beatEvery } from '../../queue/sessions/heartbeat.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { baseOf, type SlotRun, slotOf } from './slot-run.ts';

export function shareSlotWork(run: SlotRun, claim: Claim): { stop(): Promise<void> } {
  const { repository, trunk, rules, input } = run;
  const { queue, config } = input;
  if (trunk.remote === null) return { stop: async () => {} };
  const { session, task } = claim;
  const work = {
    slot: slotOf(run, claim),
    task_id: task.id,
    base: baseOf(run, claim),
    included: rules.included,
  };
  let last: string | null = null;
  const push = async (): Promise<void> => {
    const { session: now } = await showSession(queue, session.id);
    // Another run has taken over: what that one pushes counts.
    if (now.run_id !== session.run_id || now.ended !== null) return;
    last = await shareUnfinished(repository, trunk, { ...work, last });
  };
  // A failure is no matter: the agent may change a file while git reads it, and the next time comes soon.
  return beatEvery(push, config.fleet.wip_minutes * 60_000);
}
