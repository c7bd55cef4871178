import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, gone when it ends. */
export function tempDir(): string {
  const folder = makeTempDir();
  // The watcher of a run that was killed may still write into it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export const makeTempDir = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'ralph-test-')));
