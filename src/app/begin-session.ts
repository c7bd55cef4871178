// Prepares the work tree for a task that a client has claimed.

import { adoptSettings, type Place } from '../host/git/own-git.ts';
import { workRef } from '../host/git/refs.ts';
import { liveness } from '../host/processes/process-identity.ts';
import { beginBeside } from '../host/work/begin-beside.ts';
import { recordBranch } from '../host/work/branch.ts';
import type { CommitPolicy } from '../host/work/persons-changes.ts';
import { openBase } from '../host/work/session-base.ts';
import { restoreWork } from '../host/work/unfinished-work.ts';
import type { Queue } from '../queue/queue.ts';
import { hasOtherOpenSessions, runningRun } from '../queue/sessions/runs.ts';
import { earlierAttempts } from '../queue/sessions/sessions.ts';
import { addComment } from '../queue/tasks/comment.ts';
import { show } from '../queue/tasks/show.ts';

const leftOutText = (task_id: number, left_out: readonly string[]): string =>
  `These files of your earlier work were left out, because they changed meanwhile: ${left_out.join(', ')}. Your versions of them are in ${workRef(task_id)}.`;

type Subject = { session_id: string; task_id: number };

/** While others work in this tree Ralph moves no files: the session then begins where the task's last one ended. */
export async function beginSession(
  place: Place,
  queue: Queue,
  subject: Subject,
  committing: CommitPolicy,
): Promise<void> {
  const { session_id, task_id } = subject;
  await recordBranch(place, session_id);
  const isRunning = (await runningRun(queue, liveness)) !== null;
  if (isRunning || (await hasOtherOpenSessions(queue, session_id, place.root))) {
    // Not during a run: its agent may have changed the excludes, and those are not the person's settings.
    if (!isRunning) await adoptSettings(place);
    await beginBeside(place, subject, await earlierAttempts(queue, task_id, session_id), committing);
    return;
  }
  const isDone = async (id: number) => (await show(queue, id)).status === 'done';
  const { left_out } = await restoreWork(place, { ...subject, ...committing, isDone, known: null });
  await openBase(place, subject);
  if (left_out.length > 0) await addComment(queue, task_id, leftOutText(task_id, left_out));
}
