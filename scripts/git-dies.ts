// npm run git-dies: every call of git that Ralph makes in a story of five sessions dies once, and nothing may be lost by it.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildRalph } from './bundle.ts';
import { tellStories } from './git-dies/stories.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-git-dies-program-'));
try {
  // Outside the project nothing would find the native module by name.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const ralph = await buildRalph(join(folder, 'ralph'));
  const { calls, told } = await tellStories(ralph, { every: 1 });
  const broken = told.filter((story) => story.broken.length > 0);
  for (const { death, call, broken: lines } of broken) {
    console.log(`✗ call ${death.number} dies ${death.how} its work: ${call}`);
    for (const line of lines) console.log(`    ${line}`);
  }
  console.log(`${calls} calls, ${told.length} stories, ${broken.length} with something lost`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
