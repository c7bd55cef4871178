// Decides which tasks the run passes over for now. One hard task never ends a run: the other tasks go on.
//
// The run passes over a task once `limit` sessions of it in a row changed nothing. If `limit` sessions in a row changed
// nothing, whatever their tasks, each other task gets one try before any is tried again. So a run whose agent does
// nothing at all ends when every ready task has been tried.
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

  /** `null`: the session tells nothing about its task. */
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

  /** A person decides about the task now: if they queue it again, its count starts at zero. */
  forget(task_id: number): void {
    this.fruitless.delete(task_id);
    this.triedSinceProgress.delete(task_id);
  }

  passedOver(): number[] {
    const hopeless = [...this.fruitless].flatMap(([id, count]) => (count >= this.limit ? [id] : []));
    return [...new Set([...hopeless, ...(this.inARow >= this.limit ? this.triedSinceProgress : [])])];
  }
}

type ProgressInput = {
  queue: Queue;
  session_id: string;
  /** Whether the session changed its work tree. */
  hasChanged(): Promise<boolean>;
};

/** Whether a session made progress. Null after a fault of the infrastructure or a conflict, which tell nothing about the task. */
export async function isProgress(
  { outcome, status }: Decision,
  input: ProgressInput,
): Promise<boolean | null> {
  if (outcome === 'interrupted' || outcome === 'conflict') return null;
  if (status === 'done' || status === 'needs_input' || status === 'blocked') return true;
  // A learning, a flag or a suggestion is progress, too.
  const { signals } = await showSession(input.queue, input.session_id);
  return signals.some((signal) => !isClosing(signal)) || (await input.hasChanged());
}
