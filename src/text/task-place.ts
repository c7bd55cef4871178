import type { Task } from '../domain/tasks/task.ts';
import { oneLine } from './terminal/style.ts';

/** Where a proposed task belongs, as in ` [orders, backend]`; a missing discipline is said, because a person can still choose it. */
export function taskPlace({ feature, discipline }: Pick<Task, 'feature' | 'discipline'>): string {
  const parts = [...(feature === null ? [] : [oneLine(feature)]), disciplineText(discipline)];
  return ` [${parts.join(', ')}]`;
}

const disciplineText = (discipline: string | null): string =>
  discipline === null ? NO_DISCIPLINE : oneLine(discipline);

export const NO_DISCIPLINE = 'no discipline';
