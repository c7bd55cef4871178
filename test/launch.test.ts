// How Ralph starts: from what V8 has kept of an earlier start, and as well without it.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { needsOldAddon, oldAddonFolder } from '../src/store/better-sqlite.ts';
import { tempDir } from './support/temp.ts';

/** A copy of Ralph that has never been started. */
function installed(modules = resolve('node_modules')): { start(): string; folder: string; kept(): string[] } {
  const folder = join(tempDir(), 'dist');
  cpSync(dirname(inject('ralph')), folder, { recursive: true });
  symlinkSync(modules, join(folder, 'node_modules'));
  const kept = () => readdirSync(folder).filter((name) => name.includes('.cache'));
  for (const name of kept()) rmSync(join(folder, name));
  return {
    folder,
    kept,
    start: () =>
      execFileSync(process.execPath, [join(folder, 'ralph.js'), '--version'], { encoding: 'utf8', env: {} }),
  };
}

it('a build holds the compiled code of each of its parts', () => {
  const kept = readdirSync(dirname(inject('ralph'))).filter((name) => name.endsWith('.cache'));
  expect(kept.map((name) => name.split('-')[2]).sort()).toEqual(['command', 'run', 'serve', 'statusline']);
});

it('Ralph keeps what was compiled, and starts from it', () => {
  const { start, kept, folder } = installed();
  const said = start();
  const [name = ''] = kept();
  expect(kept()).toEqual([expect.stringMatching(/^main-\w+\.js-command-[\d.]+.*\.cache$/)]);
  const made = readFileSync(join(folder, name));
  expect(made.length).toBeGreaterThan(10_000);
  expect(start()).toBe(said);
  expect(readFileSync(join(folder, name)).equals(made)).toBe(true);
});

it('Ralph makes a damaged cache anew', () => {
  const { start, kept, folder } = installed();
  const said = start();
  const path = join(folder, kept()[0] ?? '');
  const size = readFileSync(path).length;
  for (const damaged of ['', readFileSync(path).subarray(0, size / 2), Buffer.alloc(size)]) {
    writeFileSync(path, damaged);
    expect(start()).toBe(said);
    expect(readFileSync(path).length).toBeGreaterThan(10_000);
    expect(readFileSync(path).equals(Buffer.alloc(size))).toBe(false);
  }
});

it('Ralph starts where nothing can be kept, and leaves nothing there', () => {
  const { start, kept, folder } = installed();
  const said = start();
  const [name = ''] = kept();
  rmSync(join(folder, name));
  mkdirSync(join(folder, name, 'in-the-way'), { recursive: true });
  expect(start()).toBe(said);
  expect(kept()).toEqual([name]);
});

it('the bundle is ASCII alone, so that the characters of regular expressions are what they were', () => {
  const { folder } = installed();
  const program = readdirSync(folder).find((name) => /^main-\w+\.js$/.test(name)) ?? '';
  expect(readFileSync(join(folder, program), 'utf8')).toMatch(/^[\0-\x7f]*$/);
});

it('Ralph says what to do where the native module is of another Node, or is missing', () => {
  const modules = join(tempDir(), 'node_modules');
  const sqlite = join(modules, 'better-sqlite3');
  mkdirSync(sqlite, { recursive: true });
  writeFileSync(join(sqlite, 'package.json'), '{}');
  const { folder } = installed(modules);
  const project = tempDir();
  mkdirSync(join(project, '.ralph'));
  const list = () =>
    spawnSync(process.execPath, [join(folder, 'ralph.js'), 'list'], { cwd: project, env: {} });
  const old = join(dirname(modules), 'better-sqlite3-12');
  const sentence = needsOldAddon
    ? `ralph: SQLite is not built for this Node (${process.version}); run ralph doctor --fix (or npx -y ralph-mcp doctor --fix), or start Ralph with Node 22.14 or newer.\n`
    : `ralph: SQLite cannot be loaded on ${process.platform}-${process.arch}; install Ralph again, or compile it with npx node-gyp rebuild --release --force_build=1 in ${sqlite}.\n`;
  expect(list()).toMatchObject({ status: 1, stderr: Buffer.from(sentence) });
  const loaded = needsOldAddon ? join(old, 'node_modules/better-sqlite3') : sqlite;
  if (needsOldAddon)
    cpSync(join(oldAddonFolder(), 'node_modules/better-sqlite3/lib'), join(loaded, 'lib'), {
      recursive: true,
    });
  mkdirSync(join(loaded, 'build/Release'), { recursive: true });
  if (needsOldAddon) writeFileSync(join(loaded, 'package.json'), '{"main":"lib/index.js"}');
  writeFileSync(join(loaded, 'build/Release/better_sqlite3.node'), 'for another Node');
  expect(list()).toMatchObject({ status: 1, stderr: Buffer.from(sentence) });
});

it.runIf(needsOldAddon)('ralph doctor --fix says what to do where SQLite cannot be installed either', () => {
  const modules = join(tempDir(), 'node_modules');
  mkdirSync(join(modules, 'better-sqlite3'), { recursive: true });
  writeFileSync(join(modules, 'better-sqlite3/package.json'), '{}');
  mkdirSync(join(dirname(modules), 'better-sqlite3-12'));
  const { folder } = installed(modules);
  const home = tempDir();
  writeFileSync(join(home, 'npm'), '#!/bin/sh\necho "npm error code ENOTFOUND" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const { stdout } = spawnSync(process.execPath, [join(folder, 'ralph.js'), 'doctor', '--fix', '--json'], {
    cwd: home,
    env: { HOME: home, PATH: home },
    encoding: 'utf8',
  });
  const { checks }: { checks: { name: string; detail: string }[] } = JSON.parse(stdout);
  expect(checks.find(({ name }) => name === 'sqlite')?.detail).toMatch(
    /^SQLite could not be installed for Node v20\S+ \(ENOTFOUND\); use Node 22\.14 or newer, or install Python 3, make and a C\+\+ compiler/,
  );
});
