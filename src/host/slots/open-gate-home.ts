// Gives each process a home of gates of its own: to make one anew would take away the files of gates that run beside it.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dropLock, takeLock } from '../processes/lock-file.ts';
import type { Environment } from '../processes/spawn.ts';
import { type HomeOptions, makeGateHome } from './gate-home.ts';
import type { SlotPlace } from './slot.ts';

export type GateHome = {
  folder: string;
  /** The variables that differ for gates. */
  env: Readonly<Record<string, string>>;
  /** Removes it: it holds copies of the person's files, secrets among them. */
  close(): Promise<void>;
};

const homeFolder = ({ folder }: Pick<SlotPlace, 'folder'>, nth: number): string =>
  join(folder, nth === 1 ? 'home' : `home-${nth}`);

const lockFile = (home: string): string => `${home}.lock`;

export async function openGateHome(
  place: Pick<SlotPlace, 'folder'>,
  env: Environment,
  options: HomeOptions,
): Promise<GateHome> {
  const folder = await takeHome(place);
  await removeDeadHomes(place);
  return { folder, env: await makeGateHome(folder, env, options), close: () => removeHome(folder) };
}

async function takeHome(place: Pick<SlotPlace, 'folder'>): Promise<string> {
  for (let nth = 1; ; nth++) {
    const home = homeFolder(place, nth);
    if (await takeLock(lockFile(home))) return home;
  }
}

async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true });
  dropLock(lockFile(home));
}

async function removeDeadHomes({ folder }: Pick<SlotPlace, 'folder'>): Promise<void> {
  for (const name of await readdir(folder)) {
    const home = join(folder, name);
    if (/^home(-\d+)?$/.test(name) && (await takeLock(lockFile(home)))) await removeHome(home);
  }
}
