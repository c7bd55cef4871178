// The last address of a project's dashboard, so that an open page finds it again after a restart. The file is outside every
// repository and readable to its owner alone: the token grants all of the owner's rights. A read-only dashboard has its own
// address: a person who got that one must never find the writable dashboard there.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import { type Environment, startAndForget } from '../processes/spawn.ts';
import { newToken } from './http-guard.ts';

export type AddressPlace = { stateHome: string; root: string; isReadOnly: boolean };

export type DashboardAddress = { token: string; port: number };

/** A page that was open for longer has to be opened again. */
const VALID_FOR_MS = 24 * 60 * 60 * 1_000;

type AddressRecord = DashboardAddress & { project: string; at: number };

export async function lastAddress(place: AddressPlace, now: number): Promise<DashboardAddress | null> {
  try {
    const { project, token, port, at }: AddressRecord = JSON.parse(
      await readFile(addressFile(place), 'utf8'),
    );
    const isGood = project === place.root && now - at < VALID_FOR_MS && /^[0-9a-f]{64}$/.test(token);
    return isGood && Number.isInteger(port) && port > 0 && port < 65_536 ? { token, port } : null;
  } catch {
    return null;
  }
}

export const newAddress = (): DashboardAddress => ({ token: newToken(), port: 0 });

export function saveAddress(place: AddressPlace, address: DashboardAddress, now: number): Promise<void> {
  const record: AddressRecord = { project: place.root, ...address, at: now };
  return writeFileWhole(addressFile(place), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

function addressFile({ stateHome, root, isReadOnly }: AddressPlace): string {
  const name = createHash('sha256').update(root).digest('hex');
  return join(stateHome, 'ralph', 'dashboard', `${name}${isReadOnly ? '-read-only' : ''}.json`);
}

const OPENERS = ['xdg-open', 'open', 'wslview'];

/** False if no program to open it was found. */
export const openBrowser = (url: string, cwd: string, env: Environment): boolean =>
  OPENERS.some((opener) => startAndForget(opener, [url], { cwd, env }));
