import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { initialised, run, testProject } from '../support/ralph.ts';

const configOf = (root: string) => JSON.parse(readFileSync(join(root, 'ralph.json'), 'utf8'));

const gitStatus = async (root: string, home: string): Promise<string> =>
  (await run('git', ['status', '--porcelain'], { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } }))
    .stdout;

it('is written by init with absolute paths, and kept out of git', async () => {
  const { root, home } = await initialised();
  expect(configOf(root)).toEqual({
    mcpServers: {
      ralph: {
        command: process.execPath,
        args: [inject('ralph'), 'serve'],
        env: { RALPH_PROJECT: root },
        alwaysLoad: true,
      },
    },
  });
  expect(await gitStatus(root, home)).toBe('?? .ralph/\n');
});

it('keeps the other servers that a person put there, and is brought up to date', async () => {
  const project = await initialised();
  const path = join(project.root, 'ralph.json');
  const other = { command: 'other', args: [] };
  writeFileSync(
    path,
    JSON.stringify({
      note: 'mine',
      mcpServers: { other, ralph: { command: '/old/node', env: { MINE: '1' } } },
    }),
  );
  expect(await project.json('init', '--yes')).toMatchObject({ written: ['ralph.json'] });
  expect(configOf(project.root)).toMatchObject({
    note: 'mine',
    mcpServers: {
      other,
      ralph: { command: process.execPath, env: { MINE: '1', RALPH_PROJECT: project.root } },
    },
  });
  expect(await project.json('init', '--yes')).toMatchObject({ written: [] });
});

it('is not overwritten where it is something else', async () => {
  const project = testProject();
  for (const text of ['not JSON', '[1,2]', '{"mcpServers":"abc"}', '{"mcpServers":{"ralph":[]}}']) {
    writeFileSync(join(project.root, 'ralph.json'), text);
    expect(await project.ralph('init', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph.json is not a configuration of MCP servers; move it away'),
    });
    expect(readFileSync(join(project.root, 'ralph.json'), 'utf8')).toBe(text);
  }
  expect(existsSync(join(project.root, '.ralph'))).toBe(false);
});
