import type { Decision } from '../domain/settle.ts';
import { isClosing } from '../domain/signal.ts';
import type { Queue } from '../queue/queue.ts';
import { showSession } from '../queue/session.ts';

export type Look = {
  queue: Queue;
  session_id: string;
  /** Whether the work tree is another one than before. */
  hasChanged: boolean;
};

/** Sessions in a row that left nothing behind. A fault of the infrastructure says nothing of them. */
export async function unchangedAfter(
  count: number,
  { outcome, status }: Decision,
  { queue, session_id, hasChanged }: Look,
): Promise<number> {
  if (outcome === 'interrupted') return count;
  if (status === 'done' || status === 'needs_input' || status === 'blocked') return 0;
  // Something learned, flagged or suggested is something, too.
  const { signals } = await showSession(queue, session_id);
  if (signals.some((signal) => !isClosing(signal))) return 0;
  return hasChanged ? 0 : count + 1;
}
