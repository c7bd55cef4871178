import type { TaskEvents } from '../../domain/tasks/task-timeline.ts';
import { eventsOfTask } from '../../store/events.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require-task.ts';

const NEWEST = 500;

/**
 * What has happened to a task after it was added: waited, ran, gates, asked, retried; the newest of it, oldest first.
 * What its sessions said is with its attempts.
 */
export const timeline = (queue: Queue, task_id: number): Promise<TaskEvents> =>
  queue.store.read(async (db) => {
    await requireTask(db, task_id);
    const found = await eventsOfTask(db, task_id, NEWEST + 1);
    return { events: found.slice(-NEWEST), isCut: found.length > NEWEST };
  });
