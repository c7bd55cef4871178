// npm run power-cut: the power fails twenty times while tasks are done, and every receipt must still have its commit.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildRalph } from './bundle.ts';
import { cutPowerInStory } from './power-cut/story.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-power-cut-program-'));
try {
  // Outside the project nothing would find the native module by name.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const cuts = await cutPowerInStory(await buildRalph(join(folder, 'ralph')));
  if (typeof cuts === 'string') console.log(`Skipped. ${cuts}`);
  else {
    for (const { number, moment, receipts, broken } of cuts) {
      console.log(`${broken.length === 0 ? '✓' : '✗'} cut ${number} (${moment}): ${receipts} receipts`);
      for (const line of broken) console.log(`    ${line}`);
    }
    const damaged = cuts.filter(({ broken }) => broken.length > 0);
    console.log(`${cuts.length} cuts, ${damaged.length} with damage`);
    process.exitCode = damaged.length === 0 ? 0 : 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
