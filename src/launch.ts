#!/usr/bin/env node
// Starts Ralph from what V8 made of it at an earlier start: to compile is most of what a short command takes.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** The name of the program beside this file, with a hash of what is in it; put in by the build. */
declare const PROGRAM: string;

// Each of these needs another part of the program, and what is kept is read as a whole.
const part = ['serve', 'hook', 'watcher'].find((word) => word === process.argv[2]) ?? 'command';
const program = join(__dirname, PROGRAM);
const kept = `${program}-${part}-${process.versions.v8}.cache`;
const cachedData = read(kept);
// ASCII: the build makes it so.
const script = new Script(readFileSync(program, 'latin1'), {
  filename: program,
  ...(cachedData !== null && { cachedData }),
});
if (cachedData === null || script.cachedDataRejected) process.once('exit', keep);
script.runInThisContext()(require, pathToFileURL(__filename).href);

function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** At the end, when all that this start has needed is compiled. Where it cannot be written, every start is as slow as this one. */
function keep(): void {
  const whole = `${kept}.${process.pid}`;
  try {
    writeFileSync(whole, script.createCachedData());
    renameSync(whole, kept);
  } catch {
    // Somebody else's folder, or a full disk: nothing that the command has done depends on it.
    rmSync(whole, { force: true });
  }
}
