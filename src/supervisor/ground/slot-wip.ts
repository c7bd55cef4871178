// Pushes what a session has made so far, every few minutes while its agent works.
import type { Config } from '../../domain/config.ts';
import { shareUnfinished } from '../../host/landing/wip.ts';
import type { Queue } from '../../queue/queue.ts';
import { beatEvery } from '../../queue/sessions/heartbeat.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { type SlotRun, sessionBase, sessionSlot } from './slot-run.ts';

type SharingRun = Pick<SlotRun, 'repository' | 'trunk' | 'open'> & {
  rules: Pick<SlotRun['rules'], 'included'>;
  input: { queue: Queue; config: { fleet: Pick<Config['fleet'], 'wip_minutes'> } };
};

export function shareSlotWork(run: SharingRun, claim: Claim): { stop(): Promise<void> } {
  const { repository, trunk, rules, input } = run;
  const { queue, config } = input;
  if (trunk.remote === null) return { stop: async () => {} };
  const { session, task } = claim;
  const work = {
    slot: sessionSlot(run, claim),
    task_id: task.id,
    base: sessionBase(run, claim),
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
