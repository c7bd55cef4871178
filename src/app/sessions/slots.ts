import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { configuredRemote, type Remote } from '../../host/remote/remote.ts';
import type { SlotPlace } from '../../host/slots/slot.ts';
import { CONFIG_FILE, readConfig } from '../../project/read-config.ts';
import { stateHome } from '../definitions/trust.ts';
import type { Project } from '../open-project.ts';
import type { World } from '../world.ts';

type SlotsFolder = Pick<Config['slots'], 'folder'>;

/** Where the slots of a project are: outside of every repository, so that no tool crawls through them. */
export function slotsFolder(
  env: World['env'],
  { root }: Pick<Project, 'root'>,
  { folder }: SlotsFolder,
): string {
  const name = `${basename(root).replace(/[^\w.-]+/g, '-')}-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  return join(folder === null ? join(stateHome(env), 'ralph', 'slots') : resolve(root, folder), name);
}

export const slotPlace = (
  env: World['env'],
  { root, stateDir }: Pick<Project, 'root' | 'stateDir'>,
  slots: SlotsFolder,
): SlotPlace => ({ repository: { root, env, stateDir }, folder: slotsFolder(env, { root }, slots) });

/**
 * Where slots are and where work lands, for a command that is typed often: to parse the configuration takes longer than the rest
 * of it, so that is done only if the file may name one of the two.
 */
export async function readPlaces(
  root: string,
): Promise<{ folder: string | null; branch: string | null; remote: Remote | null }> {
  const file = join(root, CONFIG_FILE);
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile || !/\b(folder|branch)\b/.test(readFileSync(file, 'utf8')))
    return { folder: null, branch: null, remote: null };
  const { slots, land } = await readConfig(root);
  return { folder: slots.folder, branch: land.branch, remote: configuredRemote(land) };
}
