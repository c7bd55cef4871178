// How large each slot is, noted beside it. To measure a slot takes seconds, which no command may take that people type often.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { diskUse, measureDisk } from './disk-use.ts';
import type { Slot, SlotPlace } from './slot.ts';
import { slotNames } from './slot-pool.ts';

type SlotSize = {
  /** Once its setup had ended: another slot of the project becomes as large. */
  ready: number;
  /** When it was measured last. */
  bytes: number;
};

type Folder = Pick<Slot, 'folder'>;

const sizeFile = (folder: string): string => `${folder}.size`;

const readSize = (folder: string): Promise<SlotSize | null> => readRecord(sizeFile(folder));

/** Call it when the slot is ready for its first session. */
export async function noteReadySize({ folder }: Folder): Promise<void> {
  const { bytes, unshared } = await measureDisk(folder);
  await write(folder, { ready: unshared, bytes });
}

/** Measures a slot, which may take seconds, and notes its bytes. */
export async function noteSize({ folder }: Folder): Promise<number> {
  const bytes = await diskUse(folder);
  // A person may have removed it meanwhile.
  if (bytes > 0) await write(folder, { ready: (await readSize(folder))?.ready ?? 0, bytes });
  return bytes;
}

/** These sizes are only shown and estimated with: nothing may fail for the want of one. */
const write = (folder: string, size: SlotSize): Promise<void> =>
  writeFileWhole(sizeFile(folder), JSON.stringify(size), { mode: PRIVATE_FILE, isDurable: false }).catch(
    () => {},
  );

export type NotedUse = {
  count: number;
  /** Of those that were measured. */
  bytes: number;
  areAllMeasured: boolean;
};

export async function notedUse({ folder }: Pick<SlotPlace, 'folder'>): Promise<NotedUse> {
  const names = await slotNames(folder);
  const sizes = await Promise.all(names.map((name) => readSize(join(folder, name))));
  return {
    count: names.length,
    bytes: sizes.reduce((sum, size) => sum + (size?.bytes ?? 0), 0),
    areAllMeasured: !sizes.includes(null),
  };
}

/** What the largest slot in this folder took when it was ready; 0 if there was none yet. */
export async function largestReadySize(slots: string): Promise<number> {
  const names = await readdir(slots).catch(() => []);
  const files = names.filter((name) => name.endsWith(sizeFile('')));
  const sizes = await Promise.all(files.map((name) => readRecord<SlotSize>(join(slots, name))));
  return Math.max(0, ...sizes.map((size) => size?.ready ?? 0));
}
