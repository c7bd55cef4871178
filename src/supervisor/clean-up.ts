// Cleans up what a killed run left on the machine, before its sessions are judged: processes, locks, copies, secrets.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../domain/sessions/session.ts';
import { locateWorkTree } from '../domain/sessions/session.ts';
import { baselineMarker } from '../host/gates/baseline-gates.ts';
import { gitMarker } from '../host/git/git.ts';
import { ownFolder, type Place, removeDeadScratch } from '../host/git/own-git.ts';
import { removePartialObjects, removeStaleLocks } from '../host/git/stale-lock.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { awaitCarriers, killCarriers } from '../host/processes/reap.ts';
import { projectWorkTrees } from '../host/project.ts';
import { sessionDir } from '../host/session-folder.ts';
import { gatesMarker } from '../host/verify.ts';
import { discardDoneWork } from '../host/work/unfinished-work.ts';
import type { Queue } from '../queue/queue.ts';
import { deadRuns } from '../queue/sessions/runs.ts';
import { list } from '../queue/tasks/list.ts';
import { cleanUpPlanning } from './planning.ts';

/** Ralph's git commands take milliseconds. Ralph kills one that hangs, which makes its locks stale, too. */
const GIT_GRACE_MS = 5_000;

export async function cleanUpAfterDead(queue: Queue, place: Place): Promise<void> {
  const { runs, sessions } = await findDeadInThisTree(queue, place);
  for (const run of runs) {
    await awaitCarriers(gitMarker(run), GIT_GRACE_MS);
    await killCarriers(baselineMarker(place, run.id));
  }
  for (const { id } of sessions) {
    await killCarriers(`RALPH_SESSION_ID=${id}`);
    await killCarriers(gatesMarker(id));
    await removePartsIn(sessionDir(place.stateDir, id));
    await removePartsIn(join(sessionDir(place.stateDir, id), 'review'));
  }
  if (runs.length > 0) {
    const since = Math.min(...runs.map(({ started }) => started));
    await removeStaleLocks(place, since);
    await removePartialObjects(place, since);
  }
  await cleanUpPlanning(place.stateDir);
  await removeDeadScratch(place);
  await removePartsIn(place.stateDir);
  for (const folder of ['', 'git', 'git/info']) await removePartsIn(join(ownFolder(place), folder));
}

/** Leaves sessions of another work tree alone: the next run there deals with them. */
async function findDeadInThisTree(queue: Queue, place: Place): ReturnType<typeof deadRuns> {
  const { runs, sessions } = await deadRuns(queue, isAlive);
  const isElsewhere = (session: Session): boolean =>
    locateWorkTree(session, projectWorkTrees(place)) === 'elsewhere';
  const away = new Set(sessions.filter(isElsewhere).map(({ run_id }) => run_id));
  return {
    runs: runs.filter(({ id }) => !away.has(id)),
    sessions: sessions.filter((session) => !isElsewhere(session)),
  };
}

/** For a run that was killed after the receipt of a task, before it discarded the task's work in progress. */
export async function discardWorkOfDoneTasks(
  queue: Queue,
  place: Place,
  options: { keepTrees: boolean },
): Promise<void> {
  const done = async () => new Set((await list(queue, { status: 'done' })).map(({ id }) => id));
  await discardDoneWork(place, done, options);
}

/** Removes files that were written in part and never renamed into place. */
async function removePartsIn(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith('.part')) await rm(join(folder, name), { force: true });
}
