// Removes what is left in git of tasks that are done or skipped. Work of open tasks stays.
import { git } from '../../host/git/git.ts';
import type { Place } from '../../host/git/own-git.ts';
import { dropRefs } from '../../host/git/refs.ts';
import { isAbandonedCandidate } from '../../host/landing/work-refs.ts';
import { meetingPlace, type Remote } from '../../host/remote/remote.ts';
import { dropPublished, listPublished } from '../../host/remote/remote-work.ts';
import type { Queue } from '../../queue/queue.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import { show } from '../../queue/tasks/show.ts';

const TASK = /^refs\/ralph\/(?:shared\/|pull\/)?task-(\d+)$/;
const SESSION = /^refs\/ralph\/(?:work|candidate)\/([0-9a-f-]{36})$/;
/** A person may queue a skipped task again: its newest work stays, with what the remote had of it. */
const NEWEST = /^refs\/ralph\/(?:shared\/)?task-/;

/** Before the first session of a run. */
export async function dropSettledRefs(
  repository: Place,
  queue: Queue,
  /** Where machines meet; null if this one works alone. */
  chosen: Remote | null = null,
): Promise<void> {
  const { stdout } = await git(repository, ['for-each-ref', '--format=%(refname)', 'refs/ralph/']);
  await dropRefs(repository, await settledRefs(queue, stdout.split('\n').filter(Boolean)));
  const remote = meetingPlace(chosen);
  if (remote === null) return;
  const published = await listPublished(repository, remote, ['refs/ralph/*']);
  await dropPublished(repository, remote, await settledRefs(queue, published));
}

async function settledRefs(queue: Queue, refs: readonly string[]): Promise<string[]> {
  const isSettled = async (task_id: number, ref: string): Promise<boolean> => {
    const task = await show(queue, task_id).catch(() => null);
    if (task?.status !== 'skipped') return task?.status === 'done';
    return task.archived !== null || !NEWEST.test(ref);
  };
  const dropped: string[] = [];
  for (const ref of refs) {
    const task = TASK.exec(ref)?.[1];
    const session = SESSION.exec(ref)?.[1];
    // Unknown ones may belong to another project in this repository.
    const task_id =
      task !== undefined
        ? Number(task)
        : session !== undefined
          ? ((await showSession(queue, session).catch(() => null))?.session.task_id ?? null)
          : null;
    if (isAbandonedCandidate(ref) || (task_id !== null && (await isSettled(task_id, ref)))) dropped.push(ref);
  }
  return dropped;
}
