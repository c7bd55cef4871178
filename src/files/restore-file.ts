import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const CHUNK_BYTES = 2 ** 20;

/** A file that was removed while it was written comes back with all that it holds: the open descriptor is the only way to it. */
export function putBackIfRemoved(path: string, descriptor: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const copy = openSync(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0, length = 1; length > 0; at += length) {
      length = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
      writeSync(copy, chunk, 0, length);
    }
  } finally {
    closeSync(copy);
  }
}
