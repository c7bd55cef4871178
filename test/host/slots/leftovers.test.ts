import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeLeftovers } from '../../../src/host/slots/leftovers.ts';
import { tempDir } from '../../support/temp.ts';

/** Whether the folder is gone before anything else gets a turn. */
function isRemovedAtOnce(folder: string): { isGone: boolean; ended: Promise<void> } {
  const ended = removeLeftovers(folder);
  return { isGone: !readdirSync(join(folder, '..')).includes('left'), ended };
}

const NO_UTF8 = Buffer.from([0x2f, 0xff]);

it.each([
  { what: 'nothing', make: () => {}, isAtOnce: true },
  { what: 'a few files', make: (folder: string) => writeFiles(folder, 20), isAtOnce: true },
  {
    what: 'a file whose name is not UTF-8',
    make: (folder: string) => writeFileSync(Buffer.concat([Buffer.from(folder), NO_UTF8]), ''),
    isAtOnce: true,
  },
  { what: 'many files', make: (folder: string) => writeFiles(join(folder, 'deep'), 120), isAtOnce: false },
  {
    what: 'many files in a folder whose name is not UTF-8',
    make: (folder: string) => {
      const inside = Buffer.concat([Buffer.from(folder), NO_UTF8]);
      mkdirSync(inside);
      writeFiles(inside, 120);
    },
    isAtOnce: false,
  },
  { what: 'a large file', make: (folder: string) => writeLarge(folder), isAtOnce: false },
])('of $what that an agent has left nothing remains, and it holds up no other session', async (row) => {
  const outside = tempDir();
  writeFileSync(join(outside, 'kept'), '');
  const left = join(tempDir(), 'left');
  mkdirSync(join(left, 'deep/deeper'), { recursive: true });
  symlinkSync(outside, join(left, 'deep/link'));
  row.make(left);
  const { isGone, ended } = isRemovedAtOnce(left);
  expect(isGone).toBe(row.isAtOnce);
  await ended;
  expect(readdirSync(join(left, '..'))).toEqual([]);
  expect(readdirSync(outside)).toEqual(['kept']);
});

it('where an agent has put a file, a link or nothing in place of a folder, only that is removed', async () => {
  const [folder, outside] = [tempDir(), tempDir()];
  writeFiles(outside, 120);
  await removeLeftovers(join(folder, 'missing'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(outside, join(folder, 'link'));
  await removeLeftovers(join(folder, 'file'));
  await removeLeftovers(join(folder, 'link'));
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(outside)).toHaveLength(120);
});

function writeFiles(folder: string | Buffer, count: number): void {
  for (let number = 0; number < count; number++)
    writeFileSync(Buffer.concat([Buffer.from(folder), Buffer.from(`/${number}`)]), '');
}

function writeLarge(folder: string): void {
  const file = join(folder, 'deep/deeper/large');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 25);
}
