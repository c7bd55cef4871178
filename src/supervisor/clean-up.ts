// Cleans up what a killed run left on the machine, before its sessions are judged: processes, locks, copies, secrets.
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../domain/sessions/session.ts';
import { locateWorkTree } from '../domain/sessions/session.ts';
import { removePartialRecord } from '../host/definitions/accepted.ts';
import { baselineMarker } from '../host/gates/baseline-gates.ts';
import { gitMarker } from '../host/git/git-process.ts';
import { ownFolder } from '../host/git/own-folder.ts';
import { type Place, removeDeadScratch } from '../host/git/own-git.ts';
import { removePartialObjects, removeStaleLocks } from '../host/git/stale-lock.ts';
import { landingLock } from '../host/landing/landing-lock.ts';
import { gatesMarker } from '../host/landing/verifier.ts';
import { PRIVATE_FILE } from '../host/private-state.ts';
import { dropLock, takeLock } from '../host/processes/lock-file.ts';
import { isAlive, isOnThisMachine } from '../host/processes/process-identity.ts';
import { awaitCarriers, killCarriers } from '../host/processes/reap.ts';
import { projectWorkTrees } from '../host/project.ts';
import { sessionDir } from '../host/session-folder.ts';
import type { Queue } from '../queue/queue.ts';
import { deadRuns } from '../queue/sessions/runs.ts';
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
    await endProcesses(id);
    await removePartsIn(sessionDir(place.stateDir, id));
    await removePartsIn(join(sessionDir(place.stateDir, id), 'review'));
  }
  const since = Math.min(...runs.map(({ started }) => started), await unclosedSince(place));
  if (since < Number.POSITIVE_INFINITY) {
    await removeStaleLocks(place, since);
    await removePartialObjects(place, since);
  }
  // The lock of a dead process counts for nothing: this takes it away, and leaves that of a living one.
  const landing = landingLock(place);
  if (await takeLock(landing)) dropLock(landing);
  await cleanUpPlanning(place.stateDir);
  await removeDeadScratch(place);
  await removePartsIn(place.stateDir);
  await removePartialRecord(place);
  for (const folder of ['', 'git', 'git/info']) await removePartsIn(join(ownFolder(place), folder));
}

const openMark = ({ stateDir }: Pick<Place, 'stateDir'>): string => join(stateDir, 'run.open');

/** While the file is there, a run is at work in this clone, or was killed there. */
export async function markOpen(place: Pick<Place, 'stateDir'>): Promise<void> {
  await writeFile(openMark(place), '', { mode: PRIVATE_FILE });
}

export const unmarkOpen = (place: Pick<Place, 'stateDir'>): Promise<void> =>
  rm(openMark(place), { force: true });

/** The queue of a fleet may not know the killed run any more: another machine has ended it. Infinity if no run was killed here. */
const unclosedSince = (place: Place): Promise<number> =>
  stat(openMark(place)).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** Ends what a session of a dead process left running: its agent and its gates. */
export async function endProcesses(session_id: string): Promise<void> {
  await killCarriers(`RALPH_SESSION_ID=${session_id}`);
  await killCarriers(gatesMarker(session_id));
}

/** Leaves sessions of another work tree alone: the next run there deals with them. */
async function findDeadInThisTree(queue: Queue, place: Place): ReturnType<typeof deadRuns> {
  const { runs, sessions } = await deadRuns(queue, (run) => isAlive(run) || !isOnThisMachine(run));
  const isElsewhere = (session: Session): boolean =>
    locateWorkTree(session, projectWorkTrees(place)) === 'elsewhere';
  const away = new Set(sessions.filter(isElsewhere).map(({ run_id }) => run_id));
  return {
    runs: runs.filter(({ id }) => !away.has(id)),
    sessions: sessions.filter((session) => !isElsewhere(session)),
  };
}

/** Removes files that were written in part and never renamed into place. */
async function removePartsIn(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith('.part')) await rm(join(folder, name), { force: true });
}
