// One process at a time works in a person's checkout: a run for its whole time, a client while it holds a task.
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { ownFolder, type Place } from '../../host/git/own-git.ts';
import { PRIVATE_FILE } from '../../host/private-state.ts';
import { dropLock, lockOwner, takeLock } from '../../host/processes/lock-file.ts';
import type { Ground } from './ground.ts';

const lockFile = (place: Place): string => join(ownFolder(place), 'in-place.lock');
/** Names the last session that worked in the checkout. */
const sessionFile = (place: Place): string => join(ownFolder(place), 'in-place.json');

/** Whether the files of a session are in the checkout, if it is not over. */
export async function isInCheckout(place: Place, session_id: string): Promise<boolean> {
  const last = await readRecord<{ session_id: string }>(sessionFile(place));
  return last?.session_id === session_id;
}

/** Locks the checkout until the ground ends; refuses if another process works in it. */
export async function holdCheckout(place: Place, open: () => Ground): Promise<Ground> {
  const file = lockFile(place);
  if (!(await takeLock(file))) throw new Refusal(takenText((await lockOwner(file))?.pid ?? null));
  const ground = open();
  return {
    ...ground,
    open: async (...args) => {
      const note = JSON.stringify({ session_id: args[0].session.id });
      await writeFileWhole(sessionFile(place), note, { mode: PRIVATE_FILE });
      return ground.open(...args);
    },
    end: async () => {
      await ground.end();
      await dropLock(file);
    },
  };
}

const takenText = (pid: number | null): string =>
  `${pid === null ? 'Another process' : `Process ${pid}`} works in this checkout, a ralph run or a client that holds a task. In the checkout itself only one works at a time; wait until it has ended.`;
