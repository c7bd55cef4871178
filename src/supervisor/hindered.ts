import { hindranceIn } from '../queue/sessions/finish.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { type AgentEnd, NOT_RUN } from './agent-end.ts';

/** What fails before or after the agent's own work is told by the end, and the session is finished as any other. */
export const hindered =
  (work: (claimed: Claim) => Promise<AgentEnd>) =>
  async (claimed: Claim): Promise<AgentEnd> => {
    let end = NOT_RUN;
    const hindrance = await hindranceIn(async () => {
      end = await work(claimed);
    });
    return hindrance === null ? end : { ...NOT_RUN, fault: 'machine_failed', hindrance };
  };
