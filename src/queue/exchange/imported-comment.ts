import type { Snapshot, SourceTask } from '../../domain/exchange/backlog.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { keepable } from '../../domain/text/text.ts';

/** What has no place of its own is said of the task, and that nobody here has proven what came in as done. */
export function importedComment(
  { status, said }: Pick<SourceTask, 'status' | 'said'>,
  leftovers: Readonly<Record<string, string>>,
  file: string,
): string | null {
  const fields = Object.entries(leftovers).map(([name, value]) =>
    value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`,
  );
  const parts = [
    ...(isSatisfied(status) ? [`It came in as ${said} from ${file}; Ralph has proven nothing of it.`] : []),
    ...(fields.length > 0 ? [`From ${file}:\n${fields.join('\n')}`] : []),
  ];
  return parts.length === 0 ? null : keepable(parts.join('\n\n'));
}

export function changedLeftovers(task: SourceTask, before: Snapshot | null): Record<string, string> {
  const changed = Object.entries(task.leftovers).filter(([name, value]) => before?.leftovers[name] !== value);
  return Object.fromEntries(changed);
}
