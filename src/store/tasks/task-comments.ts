import type { TaskComment } from '../../domain/tasks/task.ts';
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';

export type StoredComment = TaskComment & { id: number; task_id: number; session_id: string | null };

export const insertTaskComments = (
  db: Writer,
  comments: readonly Omit<StoredComment, 'id'>[],
): Promise<void> => insertRows(db, 'task_comments', comments);

export const commentsOfTask = (db: Reader, task_id: number): Promise<StoredComment[]> =>
  db.selectFrom('task_comments').selectAll().where('task_id', '=', task_id).orderBy('id').execute();

export const allTaskComments = (db: Reader): Promise<StoredComment[]> =>
  db.selectFrom('task_comments').selectAll().orderBy('id').execute();
