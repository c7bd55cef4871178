import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { run } from '../support/ralph.ts';
import { tempDir } from '../support/temp.ts';

it('the package that is published holds the command and the page of its dashboard', async () => {
  const folder = tempDir();
  cpSync('package.json', join(folder, 'package.json'));
  cpSync(dirname(inject('ralph')), join(folder, 'dist'), {
    recursive: true,
    filter: (file) => !['node_modules', 'browser'].includes(basename(file)),
  });
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    env,
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['dist/ralph.js', 'dist/web/index.html', 'dist/web/app.js', 'dist/web/app.css']),
  );
});
