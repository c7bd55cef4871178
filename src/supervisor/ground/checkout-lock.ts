// One process at a time works in a person's checkout: a run for its whole time, a client while it holds a task.
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { ownFolder } from '../../host/git/own-folder.ts';
import type { Place } from '../../host/git/own-git.ts';
import { dropLock, lockOwner, takeLock } from '../../host/processes/lock-file.ts';
import type { Ground } from './ground.ts';

/** Locks the checkout until the ground ends; refuses if another process works in it. */
export async function holdCheckout(place: Place, open: () => Ground): Promise<Ground> {
  const file = join(ownFolder(place), 'in-place.lock');
  if (!(await takeLock(file))) throw new Refusal(takenText((await lockOwner(file))?.pid ?? null));
  try {
    const ground = open();
    return { ...ground, end: () => ground.end().finally(() => dropLock(file)) };
  } catch (error) {
    await dropLock(file);
    throw error;
  }
}

const takenText = (pid: number | null): string =>
  `${pid === null ? 'Another process' : `Process ${pid}`} works in this checkout, a ralph run or a client that holds a task. In the checkout itself only one works at a time; wait until it has ended.`;
