// npm run try-package [-- 20 22 24]: packs Ralph and uses it on a fresh machine of each Node, from install to a landed task.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMachine, npmHere } from './try-package/machine.ts';
import { tryPackage } from './try-package/steps.ts';

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ralph-try-package-'));
try {
  const [packed]: [{ filename: string; size: number; unpackedSize: number; entryCount: number }] = JSON.parse(
    npmHere(['pack', '--json', '--silent', '--pack-destination', folder]),
  );
  const { filename, size, unpackedSize, entryCount } = packed;
  console.log(`${filename}: ${entryCount} files, ${size} bytes packed, ${unpackedSize} unpacked`);
  for (const major of wanted.length > 0 ? wanted : ['20', '22', '24']) {
    const own = join(folder, major);
    mkdirSync(own);
    const machine = makeMachine(own, major);
    console.log(`\nNode ${machine.version}`);
    for (const { name, seconds, detail } of await tryPackage(machine, join(folder, filename)))
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${name.padEnd(42)} ${detail}`.trimEnd());
    rmSync(own, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
