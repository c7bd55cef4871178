import { expect, it } from 'vitest';
import { checkDisk, checkSandbox, checkStatePlace } from '../../../src/cli/doctor/machine.ts';
import { readConfig } from '../../../src/project/read-config.ts';
import { initialised } from '../../support/ralph.ts';

const GB = 2 ** 30;
const EXT4 = 0xef53;
const NFS = 0x6969;
const SLOTS = { folder: null };

it('a state on a network file system is refused, and a local one is named', async () => {
  const context = { project: (await initialised()).root };
  expect(checkStatePlace(context, () => ({ type: EXT4, freeBytes: GB }))).toMatch(/\.git\/ralph$/);
  expect(() => checkStatePlace(context, () => ({ type: NFS, freeBytes: GB }))).toThrow(
    /is on a network file system \(NFS\), .*; move the repository to a local disk\.$/,
  );
});

it('a disk that is nearly full is refused, and the folder on it is named', async () => {
  const { root, home } = await initialised();
  const context = { project: root, env: { HOME: home } };
  const disk = (slots: number) => (folder: string) => ({
    type: EXT4,
    freeBytes: folder.includes('slots') ? slots : 3 * GB,
  });
  expect(checkDisk(context, SLOTS, disk(2 * GB))).toBe('3.0 GB free for the state, 2.0 GB free for slots');
  expect(() => checkDisk(context, SLOTS, disk(GB / 2))).toThrow(/^only 0\.5 GB free for slots \(.*slots/);
  expect(checkDisk(context, SLOTS, () => null)).toContain('an unknown amount');
});

it('a sandbox that could be stronger is refused where a person can install it, and only named elsewhere', async () => {
  const { root, home } = await initialised();
  const context = { env: { HOME: home, PATH: '' } };
  const config = await readConfig(root);
  // What another path leads to must not decide.
  await checkSandbox({ env: { HOME: home, PATH: process.env['PATH'] } }, config, 'darwin');
  await expect(checkSandbox(context, config, 'linux')).rejects.toThrow(/bubblewrap/);
  expect(await checkSandbox(context, config, 'darwin')).toContain('bubblewrap');
});
