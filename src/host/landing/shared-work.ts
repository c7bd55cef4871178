// Shares the work of sessions with other machines, if the configuration names a remote on which they meet.
import { MachineFailed } from '../../domain/refusal.ts';
import { git } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs, mayExist, workRef } from '../git/refs.ts';
import { meetingPlace } from '../remote/remote.ts';
import { Undecided } from '../remote/remote-failure.ts';
import { dropPublished, fetchRef, publishRef } from '../remote/remote-work.ts';
import { advanceTrunk, readRef, type Trunk } from './trunk.ts';
import type { ClaimedTask } from './verifier.ts';
import { sessionRef, type WorkCommit } from './work-refs.ts';

/** The unfinished work of a task as the remote had it last. What differs from it here is newer. */
export const sharedRef = (task_id: number): string => `refs/ralph/shared/task-${task_id}`;

/** The remote has the work of a session before any gate runs: from then on another machine can finish it. */
export function sharingTaker<Live extends ClaimedTask>(
  repository: Place,
  trunk: Trunk,
  take: (live: Live) => Promise<WorkCommit>,
): (live: Live) => Promise<WorkCommit> {
  const remote = meetingPlace(trunk.remote);
  const shared = new Set<string>();
  return async (live) => {
    const { id } = live.session;
    const work = await take(live);
    if (remote !== null && !shared.has(id))
      await publishRef(repository, remote, { ref: sessionRef(id), commit: work.commit });
    shared.add(id);
    return work;
  };
}

/**
 * What the remote knows of a session of a dead run: it may have worked on another machine, and its last push may have arrived. While
 * the remote does not answer, Ralph cannot tell, so the session stays as it is.
 */
export async function fetchSession(repository: Place, trunk: Trunk, session_id: string): Promise<void> {
  const remote = meetingPlace(trunk.remote);
  if (remote === null) return;
  const ref = sessionRef(session_id);
  try {
    await advanceTrunk(repository, trunk);
    if (mayExist(repository, ref)) return;
    await fetchRef(repository, remote, { ref, known: await readRef(repository, trunk.ref) });
  } catch (error) {
    if (!(error instanceof MachineFailed)) throw error;
    throw new Undecided(
      `${error.message} So Ralph does not know yet whether session ${session_id.slice(0, 8)} has landed; run ralph run when the remote answers.`,
    );
  }
}

/**
 * Lets the remote have what the person's repository holds of a task's unfinished work, or that it holds nothing. A remote that does
 * not take it costs nothing: this machine has the work, and goes on from it.
 */
export async function shareTaskWork(
  repository: Place,
  trunk: Trunk,
  task_id: number,
  onUnshared: (reason: string) => void,
): Promise<void> {
  const remote = meetingPlace(trunk.remote);
  if (remote === null) return;
  const ref = workRef(task_id);
  const commit = await readRef(repository, ref);
  try {
    if (commit === null) {
      await dropPublished(repository, remote, [ref]);
      await dropRefs(repository, [sharedRef(task_id)]);
    } else {
      await publishRef(repository, remote, { ref, commit });
      await git(repository, ['update-ref', sharedRef(task_id), commit]);
    }
  } catch (error) {
    if (!(error instanceof MachineFailed)) throw error;
    onUnshared(`The unfinished work of task ${task_id} is on this machine only: ${error.message}`);
  }
}

/** Before a session begins: what the task's last session left, wherever it worked. */
export async function fetchTaskWork(
  repository: Place,
  { remote: chosen, ref: trunk }: Trunk,
  task_id: number,
): Promise<void> {
  const remote = meetingPlace(chosen);
  if (remote === null) return;
  const [ref, shared] = [workRef(task_id), sharedRef(task_id)];
  const own = await readRef(repository, ref);
  if (own !== null && own !== (await readRef(repository, shared))) return;
  const commit = await fetchRef(repository, remote, { ref, known: await readRef(repository, trunk) });
  if (commit === null) await dropRefs(repository, [ref, shared]);
  else if (commit !== own) await git(repository, ['update-ref', shared, commit]);
}

/** The task is done: no machine needs anything of its attempts any more. */
export async function dropSharedWork(
  repository: Place,
  trunk: Trunk,
  task_id: number,
  sessions: readonly string[],
): Promise<void> {
  const remote = meetingPlace(trunk.remote);
  if (remote === null) return;
  await dropRefs(repository, [sharedRef(task_id)]);
  // No session waits for this: the next start of a run tries again.
  const hasty = { ...remote, patienceMs: 0 };
  await dropPublished(repository, hasty, [workRef(task_id), ...sessions.map(sessionRef)]);
}
