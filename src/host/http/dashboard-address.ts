// Where a project's dashboard was last, so that a page that is still open finds it there again. Outside of every
// repository, and readable by its owner alone: whoever has the token may do what they may. A read-only one has an address
// of its own: who was given that must never find the other one there.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import { type Environment, startAndForget } from '../processes/spawn.ts';
import { newToken } from './http-guard.ts';

export type AddressPlace = { stateHome: string; root: string; isReadOnly: boolean };

export type DashboardAddress = { token: string; port: number };

/** A page that was left open for longer is opened anew. */
const GOOD_FOR_MS = 24 * 60 * 60 * 1_000;

type Kept = DashboardAddress & { project: string; at: number };

export async function lastAddress(place: AddressPlace, now: number): Promise<DashboardAddress | null> {
  try {
    const { project, token, port, at }: Kept = JSON.parse(await readFile(pathOf(place), 'utf8'));
    const isGood = project === place.root && now - at < GOOD_FOR_MS && /^[0-9a-f]{64}$/.test(token);
    return isGood && Number.isInteger(port) && port > 0 && port < 65_536 ? { token, port } : null;
  } catch {
    return null;
  }
}

export const newAddress = (): DashboardAddress => ({ token: newToken(), port: 0 });

export function keepAddress(place: AddressPlace, address: DashboardAddress, now: number): Promise<void> {
  const kept: Kept = { project: place.root, ...address, at: now };
  return writeFileWhole(pathOf(place), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
}

function pathOf({ stateHome, root, isReadOnly }: AddressPlace): string {
  const name = createHash('sha256').update(root).digest('hex');
  return join(stateHome, 'ralph', 'dashboard', `${name}${isReadOnly ? '-read-only' : ''}.json`);
}

const OPENERS = ['xdg-open', 'open', 'wslview'];

/** False where nothing that could open it was found. */
export const openBrowser = (url: string, cwd: string, env: Environment): boolean =>
  OPENERS.some((opener) => startAndForget(opener, [url], { cwd, env }));
