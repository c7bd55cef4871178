// What the claim statement means by a ready task, written a second time without SQL.
import { isSatisfied } from '../../src/domain/tasks/status.ts';
import type { Status, Task } from '../../src/domain/tasks/task.ts';

export function isReady(
  task: Pick<Task, 'status' | 'not_before' | 'depends_on'>,
  statusOf: (id: number) => Status | undefined,
  now: number,
): boolean {
  if (task.status !== 'pending') return false;
  if (task.not_before !== null && task.not_before > now) return false;
  return task.depends_on.every((id) => {
    const status = statusOf(id);
    return status !== undefined && isSatisfied(status);
  });
}
