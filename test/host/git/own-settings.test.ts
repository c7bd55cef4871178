import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownGitDir } from '../../../src/host/git/own-folder.ts';
import { adoptSettings } from '../../../src/host/git/own-git.ts';
import { slotRepository } from '../../support/slots.ts';

const FILES = ['HEAD', 'config', 'info/exclude', 'info/adopted'];

it('settings that are as before are not written again', async () => {
  const { place } = await slotRepository();
  await adoptSettings(place);
  const inodes = () => FILES.map((name) => statSync(join(ownGitDir(place), name)).ino);
  const before = inodes();
  await adoptSettings(place);
  expect(inodes()).toEqual(before);
});

it('a file that was ignored only by the excludes of an earlier session is ignored no more', async () => {
  const { place, root, write } = await slotRepository();
  const excludes = join(root, '.git/info/exclude');
  const original = readFileSync(excludes, 'utf8');
  const adopted = () => readFileSync(join(ownGitDir(place), 'info/exclude'), 'utf8');
  write('notes.txt', 'mine\n');
  writeFileSync(excludes, `${original}*.txt\n`);
  await adoptSettings(place);
  expect(adopted()).toContain('\n/notes.txt\n');
  writeFileSync(excludes, original);
  await adoptSettings(place);
  expect(adopted()).not.toContain('txt');
});
