// Where a project's dashboard was last, so that a page that is still open finds it there again. Outside of every
// repository, and readable by its owner alone: whoever has the token may do what they may.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from './http-guard.ts';
import { writeFileWhole } from './write-file.ts';

export type DashboardAddress = { token: string; port: number };

/** A page that was left open for longer is opened anew. */
const GOOD_FOR_MS = 24 * 60 * 60 * 1_000;

type Kept = DashboardAddress & { project: string; at: number };

export async function lastAddress(
  stateHome: string,
  root: string,
  now: number,
): Promise<DashboardAddress | null> {
  try {
    const { project, token, port, at }: Kept = JSON.parse(await readFile(pathOf(stateHome, root), 'utf8'));
    const isGood = project === root && now - at < GOOD_FOR_MS && /^[0-9a-f]{64}$/.test(token);
    return isGood && Number.isInteger(port) && port > 0 && port < 65_536 ? { token, port } : null;
  } catch {
    return null;
  }
}

export const newAddress = (): DashboardAddress => ({ token: newToken(), port: 0 });

export function keepAddress(
  stateHome: string,
  root: string,
  address: DashboardAddress,
  now: number,
): Promise<void> {
  const kept: Kept = { project: root, ...address, at: now };
  return writeFileWhole(pathOf(stateHome, root), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
}

const pathOf = (stateHome: string, root: string): string =>
  join(stateHome, 'ralph', 'dashboard', `${createHash('sha256').update(root).digest('hex')}.json`);
