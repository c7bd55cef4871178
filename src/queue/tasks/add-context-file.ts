import { Refusal } from '../../domain/refusal.ts';
import { requireStorable } from '../../domain/text/text.ts';
import { appendEvents } from '../../store/events.ts';
import { insertTouched } from '../../store/tasks/feature-files.ts';
import { updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireLive } from '../sessions/live-session.ts';

const MAX_CONTEXT_FILES = 50;

/** The session's task gets one more file for the sessions to come. False where it had it already. */
export function addContextFile(queue: Queue, session_id: string, path: string): Promise<boolean> {
  const at = queue.now();
  requireStorable('path', path);
  return queue.store.write(async (db) => {
    const { task } = await requireLive(db, session_id);
    if (task.context_files.includes(path)) return false;
    if (task.defined?.includes('context_files'))
      throw new Refusal(
        `The context files of task ${task.id} are defined in .ralph/tasks.yaml, which belongs to a person; name ${path} with learned instead.`,
      );
    if (task.context_files.length >= MAX_CONTEXT_FILES)
      throw new Refusal(
        `Task ${task.id} has ${MAX_CONTEXT_FILES} context files already; more would drown it.`,
      );
    await updateTask(db, task.id, { context_files: [...task.context_files, path], updated: at });
    // What several sessions had to look for, the whole feature may want.
    if (task.feature !== null) await insertTouched(db, task.feature, session_id, [path]);
    await appendEvents(db, [
      { at, kind: 'task.edited', task_id: task.id, session_id, data: { changed: ['context_files'] } },
    ]);
    return true;
  });
}
