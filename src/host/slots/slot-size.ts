// How large each slot is, noted beside it. To measure a slot takes seconds, which no command may take that people type often.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { diskUse } from './disk-use.ts';
import type { Slot } from './slot.ts';

type SlotSize = {
  /** Once its setup had ended: another slot of the project becomes as large. */
  ready: number;
};

const sizeFile = (folder: string): string => `${folder}.size`;

/** Call it when the slot is ready for its first session. */
export async function noteReadySize({ folder }: Pick<Slot, 'folder'>): Promise<void> {
  const size: SlotSize = { ready: await diskUse(folder) };
  const options = { mode: PRIVATE_FILE, isDurable: false };
  // It is only an estimate: without it a session can work all the same.
  await writeFileWhole(sizeFile(folder), JSON.stringify(size), options).catch(() => {});
}

/** What the largest slot in this folder took when it was ready; 0 if there was none yet. */
export async function largestReadySize(slots: string): Promise<number> {
  const names = await readdir(slots).catch(() => []);
  const files = names.filter((name) => name.endsWith(sizeFile('')));
  const sizes = await Promise.all(files.map((name) => readRecord<SlotSize>(join(slots, name))));
  return Math.max(0, ...sizes.map((size) => size?.ready ?? 0));
}
