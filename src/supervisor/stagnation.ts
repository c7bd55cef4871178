// Which tasks are not worth another session for now. One hard task never ends a run: it is passed over, and the rest goes on.
//
// A task is passed over for the rest of the run once `limit` sessions of it in a row left nothing behind. Where `limit`
// sessions in a row did so, whatever their tasks, each other task gets one try before any is tried again: so a run whose
// agent does nothing at all ends when every ready task has been tried.
import type { Decision } from '../domain/sessions/settle.ts';
import { isClosing } from '../domain/sessions/signal.ts';
import type { Queue } from '../queue/queue.ts';
import { showSession } from '../queue/sessions/sessions.ts';

export class Stagnation {
  private readonly limit: number;
  private readonly fruitless = new Map<number, number>();
  private triedSinceProgress = new Set<number>();
  private inARow = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** `null`: the session says nothing of its task. */
  sessionEnded(task_id: number, isProgress: boolean | null): void {
    if (isProgress === null) return;
    if (isProgress) {
      this.fruitless.delete(task_id);
      this.triedSinceProgress = new Set();
      this.inARow = 0;
      return;
    }
    this.fruitless.set(task_id, (this.fruitless.get(task_id) ?? 0) + 1);
    this.triedSinceProgress.add(task_id);
    this.inARow += 1;
  }

  /** A person decides about it now: where they queue it again, it begins anew. */
  forget(task_id: number): void {
    this.fruitless.delete(task_id);
    this.triedSinceProgress.delete(task_id);
  }

  passedOver(): number[] {
    const hopeless = [...this.fruitless].flatMap(([id, count]) => (count >= this.limit ? [id] : []));
    return [...new Set([...hopeless, ...(this.inARow >= this.limit ? this.triedSinceProgress : [])])];
  }
}

export type Look = {
  queue: Queue;
  session_id: string;
  /** Whether its work tree is another one than before. */
  hasChanged(): Promise<boolean>;
};

/** Whether a session left something behind. Null for a fault of the infrastructure, which says nothing of it. */
export async function isProgress({ outcome, status }: Decision, look: Look): Promise<boolean | null> {
  if (outcome === 'interrupted') return null;
  if (status === 'done' || status === 'needs_input' || status === 'blocked') return true;
  // Something learned, flagged or suggested is something, too.
  const { signals } = await showSession(look.queue, look.session_id);
  return signals.some((signal) => !isClosing(signal)) || (await look.hasChanged());
}
