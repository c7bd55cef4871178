import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { startOnce } from '../../scripts/bundle.ts';
import { tarballProblem } from '../../scripts/release/checks.ts';
import { run } from '../support/ralph.ts';
import { tempDir } from '../support/temp.ts';

/** What a clone holds after the build. */
function built(): string {
  const folder = tempDir();
  const without = ['node_modules', 'browser'];
  const copy = (from: string, to: string) =>
    cpSync(from, join(folder, to), { recursive: true, filter: (file) => !without.includes(basename(file)) });
  copy('package.json', 'package.json');
  copy('better-sqlite3-12', 'better-sqlite3-12');
  copy(dirname(inject('ralph')), 'dist');
  return folder;
}

it('the published package holds the command, the dashboard and the way to install SQLite on an old Node', async () => {
  const folder = built();
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    env,
  });
  const [packed]: [{ files: { path: string }[]; size: number; unpackedSize: number }] = JSON.parse(stdout);
  const files = packed.files.map(({ path }) => path);
  // As `npm run release` asks: whatever else a build leaves in dist must not be published by chance.
  expect(tarballProblem({ tarball: { ...packed, files } })).toBeNull();
  expect(files).toEqual(
    expect.arrayContaining([
      'dist/ralph.js',
      'dist/web/index.html',
      'dist/web/app.js',
      'dist/web/app.css',
      'better-sqlite3-12/package.json',
      'better-sqlite3-12/package-lock.json',
    ]),
  );
});

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

it('the published package depends on SQLite only', () => {
  expect(Object.keys(readJson('package.json').dependencies)).toEqual(['better-sqlite3']);
  const folder = built();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('node_modules/better-sqlite3'), join(folder, 'node_modules/better-sqlite3'));
  symlinkSync(resolve('better-sqlite3-12/node_modules'), join(folder, 'better-sqlite3-12/node_modules'));
  expect(() => startOnce(join(folder, 'dist/ralph.js'))).not.toThrow();
});

// npm forgets this whenever it writes the file: put it back by hand. Without it `npm ci` runs node-gyp, which needs Python.
it('the lock file forbids compiling better-sqlite3', () => {
  expect(readJson('package-lock.json').packages['node_modules/better-sqlite3']).toMatchObject({
    gypfile: false,
  });
});

it.each(['package-lock.json', 'better-sqlite3-12/package-lock.json'])('%s names no registry', (path) => {
  expect(readFileSync(path, 'utf8')).not.toContain('"resolved"');
});
