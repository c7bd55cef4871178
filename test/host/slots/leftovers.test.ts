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

it.each([
  { what: 'nothing', make: () => {}, isAtOnce: true },
  { what: 'a few files', make: (folder: string) => writeFiles(folder, 20), isAtOnce: true },
  { what: 'many files', make: (folder: string) => writeFiles(folder, 120), isAtOnce: false },
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

it('where an agent has put a file or nothing in place of a folder, it is removed without an error', async () => {
  const folder = tempDir();
  await removeLeftovers(join(folder, 'missing'));
  writeFileSync(join(folder, 'file'), '');
  await removeLeftovers(join(folder, 'file'));
  expect(readdirSync(folder)).toEqual([]);
});

function writeFiles(folder: string, count: number): void {
  for (let number = 0; number < count; number++) writeFileSync(join(folder, `deep/${number}`), '');
}

function writeLarge(folder: string): void {
  const file = join(folder, 'deep/deeper/large');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 25);
}
