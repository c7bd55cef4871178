// Hands out slots. A lock file names the process that uses a slot, so that two processes never share one.
import { rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MachineFailed } from '../../domain/refusal.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { GateStopped } from '../gates/gates.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { dropLock, lockOwner, takeLock } from '../processes/lock-file.ts';
import { type Slot, type SlotPlace, slotAt } from './slot.ts';

/** What a slot holds: written before the agent starts, and removed once its work is in a ref. */
type SlotSession = { session_id: string; base: string };

const MAX_WORK = 89;
/** Numbers of slots for gates, apart from those of sessions. */
const FIRST_GATES = 90;

const lockFile = ({ folder }: Slot): string => `${folder}.lock`;
const sessionFile = ({ folder }: Slot): string => `${folder}.session`;

/** The slot of a session, by the number that its record has. */
export const workSlot = (place: SlotPlace, number: number): Slot => slotAt(place, 'work', number, number);

export const readSlotSession = (slot: Slot): Promise<SlotSession | null> => readRecord(sessionFile(slot));

export const writeSlotSession = (slot: Slot, session: SlotSession): Promise<void> =>
  writeFileWhole(sessionFile(slot), JSON.stringify(session), { mode: PRIVATE_FILE });

/** Synchronous: a session waits for it, and a thread would take longer. */
export const clearSlotSession = (slot: Slot): void => rmSync(sessionFile(slot), { force: true });

/** A free slot for a session. `isOver`: whether a session that left its files in a slot needs them no more. */
export async function acquireWorkSlot(
  place: SlotPlace,
  isOver: (session_id: string) => Promise<boolean>,
): Promise<Slot> {
  for (let number = 1; number <= MAX_WORK; number++) {
    const slot = workSlot(place, number);
    if (!(await lockSlot(slot))) continue;
    const before = await readSlotSession(slot);
    if (before === null || (await isOver(before.session_id))) return slot;
    await releaseSlot(slot);
  }
  throw new MachineFailed(
    `All ${MAX_WORK} slots in ${place.folder} are in use; look at them with: ralph slots list`,
  );
}

const LOOK_EVERY_MS = 50;

/** Waits for one of `count` slots in which gates run. `first`: leaves those before it to others. */
export async function acquireGateSlot(
  place: SlotPlace,
  count: number,
  stop?: AbortSignal,
  first = 1,
): Promise<Slot> {
  for (;;) {
    if (stop?.aborted) throw new GateStopped('Gates that waited for a slot were stopped.');
    for (let nth = first; nth <= count; nth++) {
      const slot = slotAt(place, 'gates', nth, FIRST_GATES + nth - 1);
      if (await lockSlot(slot)) return slot;
    }
    await pause(LOOK_EVERY_MS);
  }
}

export const releaseSlot = async (slot: Slot): Promise<void> => dropLock(lockFile(slot));

/** Frees the slots of a dead run. Files of a session that is not over stay noted: a later run needs them. */
export async function freeSlots(
  place: SlotPlace,
  isOver: (session_id: string) => Promise<boolean>,
): Promise<void> {
  for (const { slot } of await listSlots(place)) {
    if (!(await lockSlot(slot))) continue;
    const session = await readSlotSession(slot);
    if (session !== null && (await isOver(session.session_id))) clearSlotSession(slot);
    await releaseSlot(slot);
  }
  // Of a slot that a killed run was about to make there is only the lock.
  for (const name of await readdir(place.folder).catch(() => [])) {
    const lock = join(place.folder, name);
    if (/^(work|gates)-\d+\.lock$/.test(name) && (await takeLock(lock))) dropLock(lock);
  }
}

/** False if a living process has it. */
export const lockSlot = (slot: Slot): Promise<boolean> => takeLock(lockFile(slot)).catch(explainError);

function explainError(error: unknown): never {
  throw error instanceof MachineFailed
    ? new MachineFailed(
        'Ralph cannot make a slot; free disk space, or name another folder as slots.folder.',
        { cause: error },
      )
    : error;
}

export type ListedSlot = {
  name: string;
  /** Counts from 1 for each kind. */
  nth: number;
  slot: Slot;
  session: SlotSession | null;
  /** Null if no living process uses it. */
  owner: ProcessIdentity | null;
  last_used: number;
};

/** Those of sessions first, each kind by number. */
export async function slotNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const nth = (name: string): number => Number(name.split('-')[1]);
  return ['work', 'gates'].flatMap((kind) =>
    names
      .filter((name) => new RegExp(`^${kind}-\\d+$`).test(name))
      .sort((one, other) => nth(one) - nth(other)),
  );
}

/** Every slot of this project, with who uses it. */
export async function listSlots(place: SlotPlace): Promise<ListedSlot[]> {
  const listed: ListedSlot[] = [];
  for (const name of await slotNames(place.folder)) {
    const nth = Number(name.split('-')[1]);
    const slot = name.startsWith('work')
      ? workSlot(place, nth)
      : slotAt(place, 'gates', nth, FIRST_GATES + nth - 1);
    listed.push({
      name,
      nth,
      slot,
      session: await readSlotSession(slot),
      owner: await lockOwner(lockFile(slot)),
      last_used: await lastUse(slot),
    });
  }
  return listed;
}

/** Each use makes the temporary folder anew, and ends with a look at the files by the index. */
async function lastUse({ folder, index }: Slot): Promise<number> {
  const times = await Promise.all(
    [folder, index].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.floor(Math.max(...times));
}
