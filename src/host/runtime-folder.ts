// Where sessions at work reach Ralph: a socket and a folder of files, outside of the state. No other user can reach either.
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import type { ProcessIdentity } from '../domain/sessions/session.ts';
import { namesIn, readRecord } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { identify, isAlive } from './processes/process-identity.ts';
import type { Environment } from './processes/spawn.ts';
import { TRANSIENT } from './session-folder.ts';

export type RuntimeFolder = {
  socket: string;
  /** A new folder for the files of one session. */
  newSession(): Promise<string>;
  remove(): Promise<void>;
};

/** The kernel's limit for the path of a socket, without the byte that ends it. */
const MAX_SOCKET_PATH = 107;
const PRIVATE_FOLDER = 0o700;
const OWNER = '.json';

/** Removes what dead processes left there, first. */
export async function openRuntimeFolder(env: Environment): Promise<RuntimeFolder> {
  const base = runtimeBase(env);
  await removeDead(base);
  const name = join(base, randomBytes(4).toString('hex'));
  // First: whatever else is there has an owner.
  await writeFileWhole(`${name}${OWNER}`, JSON.stringify(identify(process.pid)), TRANSIENT);
  mkdirSync(name, { mode: PRIVATE_FOLDER });
  return {
    socket: socketName(name),
    newSession: () => mkdtemp(join(name, 'session-')),
    remove: () => removeAll(name),
  };
}

const socketName = (name: string): string => `${name}.sock`;

/** The first place whose paths are short enough for a socket, whose name in it has at most 13 bytes. */
export function runtimeBase({ XDG_RUNTIME_DIR }: Environment): string {
  const user = process.getuid?.() ?? 0;
  const places = [
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'ralph')] : []),
    join(tmpdir(), `ralph-${user}`),
    join('/tmp', `ralph-${user}`),
  ];
  const isShort = (place: string): boolean =>
    Buffer.byteLength(socketName(join(place, '01234567'))) <= MAX_SOCKET_PATH;
  const base = places.find((place) => isShort(place) && makePrivate(place));
  if (base === undefined)
    throw new Refusal(
      `Ralph has no folder for the socket of its sessions: ${places.join(' and ')} cannot be made, or belong to another user. Set XDG_RUNTIME_DIR to a folder of your own.`,
    );
  return base;
}

/** False if the folder cannot be made, is a link, or is open to other users: all of them can write in /tmp. */
function makePrivate(place: string): boolean {
  try {
    mkdirSync(place, { recursive: true, mode: PRIVATE_FOLDER });
  } catch {
    return false;
  }
  const found = lstatSync(place);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

async function removeDead(base: string): Promise<void> {
  for (const file of namesIn(base).filter((name) => name.endsWith(OWNER))) {
    const owner = await readRecord<ProcessIdentity>(join(base, file));
    // One that cannot be looked up from here, in another container, may be alive: then its own next start removes it.
    const isDead = owner === null || !isAlive({ ...owner, heartbeat: Date.now() });
    if (isDead) await removeAll(join(base, file.slice(0, -OWNER.length)));
  }
}

/** The owner's record goes last: after a kill half-way the next start removes the rest. */
async function removeAll(name: string): Promise<void> {
  await rm(socketName(name), { force: true });
  await rm(name, { recursive: true, force: true });
  await rm(`${name}${OWNER}`, { force: true });
}
