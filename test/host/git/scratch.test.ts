import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { newScratchFile, removeDeadScratch, scratchFolder } from '../../../src/host/git/own-git.ts';
import { tempDir } from '../../support/temp.ts';

it('Ralph removes scratch files of dead processes and keeps those of living ones', async () => {
  const place = { stateDir: tempDir() };
  const scratch = scratchFolder(place);
  mkdirSync(scratch);
  const own = await newScratchFile(scratch);
  writeFileSync(own, '');
  // Its number is free again: nobody who is alive has it.
  const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  for (const name of [`index-${pid}.123-a`, `index-${pid}.123-a.lock`, `index-${process.pid}.1-b`])
    writeFileSync(join(scratch, name), '');
  await removeDeadScratch(place);
  expect(readdirSync(scratch)).toEqual([basename(own)]);
});
