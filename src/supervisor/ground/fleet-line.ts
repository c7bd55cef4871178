// Lets one machine of a fleet at a time run its gates and land.
import { setTimeout as pause } from 'node:timers/promises';
import type { Train } from '../../host/landing/train.ts';
import type { Queue } from '../../queue/queue.ts';
import { isNextInLine, leaveTheLine, waitInLine } from '../../queue/sessions/landing-line.ts';

const LOOK_EVERY_MS = 250;

/**
 * Behind the order of its own machine, a session waits for those of others. `later`: takes the writes that no session waits for.
 * If the queue fails, the session goes on: what follows says why, and lands nothing that it should not.
 */
export function withFleetLine(
  train: Train,
  { queue, stop, later }: { queue: Queue; stop: AbortSignal; later(work: Promise<unknown>): void },
): Train {
  const entered = new Set<string>();
  const leaveLine = (session_id: string): void => {
    later(leaveTheLine(queue, session_id).catch(() => {}));
  };
  const waitForTurn = async (session_id: string): Promise<void> => {
    await waitInLine(queue, session_id);
    while (entered.has(session_id) && !stop.aborted && !(await isNextInLine(queue, session_id)))
      await pause(LOOK_EVERY_MS);
  };
  return {
    ...train,
    enter: async (session_id, task_id) => {
      entered.add(session_id);
      await train.enter(session_id, task_id);
      await waitForTurn(session_id).catch(() => {});
      // It left before it was in the line.
      if (!entered.has(session_id)) leaveLine(session_id);
    },
    leave: (session_id) => {
      if (entered.delete(session_id)) leaveLine(session_id);
      train.leave(session_id);
    },
  };
}
