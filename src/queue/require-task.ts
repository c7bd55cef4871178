import { Refusal } from '../domain/refusal.ts';
import type { Reader } from '../store/database.ts';
import { findTask, type StoredTask } from '../store/tasks/tasks.ts';

export async function requireTask(db: Reader, id: number): Promise<StoredTask> {
  const task = await findTask(db, id);
  if (task === null) throw new Refusal(`There is no task ${id}; ralph list shows those there are.`);
  return task;
}
