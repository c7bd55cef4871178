// Gives each process a home of gates of its own: to make one anew would take away the files of gates that run beside it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dropLock, takeLock } from '../processes/lock-file.ts';
import type { Environment } from '../processes/spawn.ts';
import { clearGateHome, makeGateHome } from './gate-home.ts';
import type { SlotPlace } from './slot.ts';

export type GateHome = {
  /** The variables that differ for gates. */
  env: Readonly<Record<string, string>>;
  /** Removes the copies of the person's files. */
  close(): Promise<void>;
};

/** A process alone always has the first one, and finds there what a setup installed. */
const homeFolder = ({ folder }: SlotPlace, nth: number): string =>
  join(folder, nth === 1 ? 'home' : `home-${nth}`);

const lockFile = (home: string): string => `${home}.lock`;

export async function openGateHome(place: SlotPlace, env: Environment): Promise<GateHome> {
  const home = await takeHome(place);
  await clearDeadHomes(place);
  return {
    env: await makeGateHome(home, env),
    close: async () => {
      await clearGateHome(home);
      await dropLock(lockFile(home));
    },
  };
}

async function takeHome(place: SlotPlace): Promise<string> {
  for (let nth = 1; ; nth++) {
    const home = homeFolder(place, nth);
    if (await takeLock(lockFile(home))) return home;
  }
}

/** A killed process left copies of the person's files, secrets among them. */
async function clearDeadHomes({ folder }: SlotPlace): Promise<void> {
  for (const name of await readdir(folder)) {
    const home = join(folder, name);
    if (!/^home(-\d+)?$/.test(name) || !(await takeLock(lockFile(home)))) continue;
    await clearGateHome(home);
    await dropLock(lockFile(home));
  }
}
