#!/usr/bin/env node
// Starts Ralph from V8's code cache of an earlier start: compiling is most of the time that a short command takes.
import { readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** File name of the program beside this file, with a hash of its content; the build fills it in. */
declare const PROGRAM: string;

// Each of these needs another part of the program, and a cache is read as a whole: so each has its own.
const PARTS: Readonly<Record<string, string>> = {
  serve: 'serve',
  mcp: 'serve',
  run: 'run',
  statusline: 'statusline',
};
const command = process.argv[2] ?? '';
if (command === 'watcher') startWatcher();
else if (command === 'starter') startStarter();
else startProgram(PARTS[command] ?? 'command');

function startProgram(part: string): void {
  if (part === 'statusline') printStatusLine();
  const program = join(__dirname, PROGRAM);
  const cacheFile = `${program}-${part}-${process.versions.v8}.cache`;
  const cachedData = read(cacheFile);
  // ASCII: the build makes it so.
  const script = new Script(readFileSync(program, 'latin1'), {
    filename: program,
    ...(cachedData !== null && { cachedData }),
  });
  if (cachedData === null || script.cachedDataRejected)
    process.once('exit', () => writeCache(script, cacheFile));
  script.runInThisContext()(require, pathToFileURL(__filename).href);
}

/** Every run has one beside it, which only waits: it is started without the rest of Ralph. */
function startWatcher(): void {
  const { watch }: typeof import('./cli/internal/watcher.ts') = require(join(__dirname, 'watcher.js'));
  void watch(process.stdin);
}

/** Small, because that is all that it is for. */
function startStarter(): void {
  const { startForRun }: typeof import('./cli/internal/starter.ts') = require(join(__dirname, 'starter.js'));
  startForRun(process);
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** At exit, when everything that this start needed is compiled. If the cache cannot be written, every start is as slow as this one. */
function writeCache(script: Script, cacheFile: string): void {
  const whole = `${cacheFile}.${process.pid}`;
  try {
    writeFileSync(whole, script.createCachedData());
    renameSync(whole, cacheFile);
  } catch {
    // A read-only folder or a full disk: the command's own work does not depend on the cache.
    rmSync(whole, { force: true });
  }
}

/** Claude Code starts it at every turn: a line that still holds is printed without the rest of Ralph. */
function printStatusLine(): void {
  const { readFolder, readLine }: typeof import('./statusline.ts') = require(
    join(__dirname, 'statusline.js'),
  );
  if (process.argv.length > 3 || isatty(0)) return;
  // Standard input can be read once, so the program is told by a variable.
  process.env['RALPH_PROJECT'] ||= readFolder() ?? process.cwd();
  const line = process.env['RALPH_SESSION_ID'] ? null : readLine(process.env['RALPH_PROJECT'], Date.now());
  if (line === null) return;
  writeSync(1, line === '' ? '' : `${line}\n`);
  process.exit(0);
}
