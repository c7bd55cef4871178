// How Ralph starts: from what V8 has kept of an earlier start, and as well without it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { tempDir } from './support/temp.ts';

/** A copy of Ralph that has never been started. */
function installed(): { start(): string; folder: string; kept(): string[] } {
  const folder = join(tempDir(), 'dist');
  cpSync(dirname(inject('ralph')), folder, { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const kept = () => readdirSync(folder).filter((name) => name.includes('.cache'));
  for (const name of kept()) rmSync(join(folder, name));
  return {
    folder,
    kept,
    start: () =>
      execFileSync(process.execPath, [join(folder, 'ralph.js'), '--version'], { encoding: 'utf8', env: {} }),
  };
}

it('keeps what was compiled, and starts from it', () => {
  const { start, kept, folder } = installed();
  const said = start();
  const [name = ''] = kept();
  expect(kept()).toEqual([expect.stringMatching(/^main-\w+\.js-command-[\d.]+.*\.cache$/)]);
  const made = readFileSync(join(folder, name));
  expect(made.length).toBeGreaterThan(10_000);
  expect(start()).toBe(said);
  expect(readFileSync(join(folder, name)).equals(made)).toBe(true);
});

it('makes anew what was damaged', () => {
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

it('starts where nothing can be kept, and leaves nothing there', () => {
  const { start, kept, folder } = installed();
  const said = start();
  const [name = ''] = kept();
  rmSync(join(folder, name));
  mkdirSync(join(folder, name, 'in-the-way'), { recursive: true });
  expect(start()).toBe(said);
  expect(kept()).toEqual([name]);
});

it('is ASCII alone, so that the characters of regular expressions are what they were', () => {
  const { folder } = installed();
  const program = readdirSync(folder).find((name) => /^main-\w+\.js$/.test(name)) ?? '';
  expect(readFileSync(join(folder, program), 'utf8')).toMatch(/^[\0-\x7f]*$/);
});
