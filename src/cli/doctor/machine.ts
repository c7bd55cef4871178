// Checks where the state is, and whether the disks of the state and of the slots have room.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readLevel } from '../../app/sessions/sandbox.ts';
import { slotPlace } from '../../app/sessions/slots.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config, SandboxLevel } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findProject } from '../../host/project.ts';

/** File systems of other machines, by the number that Linux gives them. SQLite cannot lock reliably there. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914839: '9P',
  1397113167: 'AFS',
};

/** With less, a checkout, its dependencies or a log can fail in the middle of a run. */
const LEAST_BYTES = 2 ** 30;

type Disk = { type: number; freeBytes: number };

/** The disk of a folder that may not exist yet; null if the system does not tell. */
function readDisk(folder: string): Disk | null {
  try {
    const { type, bavail, bsize } = statfsSync(nearest(folder));
    return { type, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}

const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));

export function checkStatePlace({ project }: Pick<CommandContext, 'project'>, disk = readDisk): string {
  const { stateDir } = findProject(project);
  try {
    accessSync(nearest(stateDir), constants.W_OK);
  } catch {
    throw new Refusal(`${stateDir} cannot be written; make it writable for you.`);
  }
  const network = NETWORK[disk(stateDir)?.type ?? 0];
  if (network === undefined) return stateDir;
  throw new Refusal(
    `${stateDir} is on a network file system (${network}), where SQLite cannot lock reliably; move the repository to a local disk.`,
  );
}

export function checkDisk(
  { project, env }: Pick<CommandContext, 'project' | 'env'>,
  slots: Pick<Config['slots'], 'folder'>,
  disk = readDisk,
): string {
  const place = findProject(project);
  const free = [
    { name: 'the state', folder: place.stateDir },
    { name: 'slots', folder: slotPlace(env, place, slots).folder },
  ].map((one) => ({ ...one, bytes: disk(one.folder)?.freeBytes ?? null }));
  const full = free.find(({ bytes }) => bytes !== null && bytes < LEAST_BYTES);
  if (full !== undefined)
    throw new Refusal(
      `only ${amount(full.bytes)} free for ${full.name} (${full.folder}); free at least ${amount(LEAST_BYTES)}, for example with ralph slots clean.`,
    );
  return free.map(({ name, bytes }) => `${amount(bytes)} free for ${name}`).join(', ');
}

const amount = (bytes: number | null): string =>
  bytes === null ? 'an unknown amount' : `${(bytes / 2 ** 30).toFixed(1)} GB`;

// Checks which sandbox agents and gates would have, and says how to get a stronger one.

const WORDS: Readonly<Record<SandboxLevel, string>> = {
  off: 'off: agents and gates can read and change what you can',
  bash: 'bash: the commands of agents run in the sandbox of Claude Code; clients and gates do not',
  process: 'process: agents, gates, setup and hooks run in namespaces of their own (bubblewrap)',
  command: 'command: agents, gates, setup and hooks run in the wrapper of the configuration',
};

export async function checkSandbox(
  { env }: Pick<CommandContext, 'env'>,
  config: Config,
  platform: string = process.platform,
): Promise<string> {
  const { level, notice } = await readLevel(env, config);
  if (notice === null) return WORDS[level];
  // Only Linux has more to offer.
  if (platform === 'linux') throw new Refusal(notice);
  return notice;
}

/** A sandbox that does not work has a finding of its own. */
export const isWalled = async ({ env }: Pick<CommandContext, 'env'>, config: Config): Promise<boolean> => {
  try {
    return (await readLevel(env, config)).level === 'process';
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
};
