// The library that records what was synced. It needs a C compiler, LD_PRELOAD and /proc.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('record-syncs.c', import.meta.url));

export type Recorder = { log: string; env: Readonly<Record<string, string>> };

/** Why there can be no power cuts on this machine, in a sentence; or the recorder. */
export function buildRecorder(folder: string): Recorder | string {
  if (!existsSync('/proc/self/environ')) return 'There is no /proc here, so no story can be frozen.';
  const [library, log] = [join(folder, 'record-syncs.so'), join(folder, 'syncs')];
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], {
    encoding: 'utf8',
  });
  if (built.status !== 0) return `No C compiler works here: ${built.error?.message ?? built.stderr.trim()}`;
  // Node would bypass the library with io_uring.
  const env = { LD_PRELOAD: library, RALPH_SYNC_LOG: log, UV_USE_IO_URING: '0' };
  const script = `const fs = require('fs'); const f = fs.openSync(${JSON.stringify(join(folder, 'trial'))}, 'w'); fs.writeSync(f, 'abc'); fs.fsyncSync(f)`;
  spawnSync(process.execPath, ['-e', script], { env: { ...env, PATH: process.env['PATH'] ?? '' } });
  const lines = existsSync(log) ? readFileSync(log, 'utf8') : '';
  if (!/^C \S+ 0\nS \S+ 3$/m.test(lines)) return 'LD_PRELOAD has no effect on this machine.';
  return { log, env };
}

/** How many bytes of each file are on the disk, by device and inode. */
export function readSynced(log: string): Map<string, number> {
  const synced = new Map<string, number>();
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [what, file = '', size] = line.split(' ');
    if (what === 'C') synced.set(file, 0);
    if (what === 'S') synced.set(file, Number(size));
  }
  return synced;
}
