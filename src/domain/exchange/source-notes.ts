// What a source says that Ralph has no field for: a comment for people, and a section of the prompt.
import { isSatisfied } from '../tasks/status.ts';
import type { TaskComment } from '../tasks/task.ts';
import { toStorable } from '../text/text.ts';
import type { SourceTask } from './backlog.ts';

/** Null if nothing is left over. */
export function sourceNotes(leftovers: Readonly<Record<string, string>>, file: string): string | null {
  const fields = Object.entries(leftovers).map(([name, value]) =>
    value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`,
  );
  return fields.length === 0 ? null : toStorable(`From ${oneLine(file)}:\n${fields.join('\n')}`);
}

/** Ralph has not proven a task that was imported as done. */
export const unverifiedNotice = (
  { status, original_status }: Pick<SourceTask, 'status' | 'original_status'>,
  file: string,
): string | null =>
  isSatisfied(status)
    ? `Imported as ${original_status} from ${oneLine(file)}; Ralph has not verified it.`
    : null;

const NOTES = /^From [^\n]+:\n/;

/** Whether `sourceNotes` wrote it. Only Ralph writes comments of the system, and outside of sessions it writes no other like this. */
export const isSourceNote = ({
  author,
  body,
  session_id,
}: Pick<TaskComment, 'author' | 'body'> & { session_id: string | null }): boolean =>
  author === 'system' && session_id === null && NOTES.test(body);

const oneLine = (file: string): string => file.replace(/\s+/g, ' ');
