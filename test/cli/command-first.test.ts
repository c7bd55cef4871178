import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandFirst } from '../../src/cli/command-first.ts';
import { initialised, runRalph } from '../support/ralph.ts';

it('an option of every command may stand before the command', async () => {
  const project = await initialised();
  await project.json('add', 'Build it');
  const elsewhere = { cwd: project.home, env: { HOME: project.home, PATH: process.env['PATH'] } };
  const behind = await runRalph(['list', '--project', project.root, '--json'], elsewhere);
  expect(behind).toMatchObject({ code: 0, stdout: expect.stringContaining('Build it') });
  for (const options of [
    ['--project', project.root, '--json'],
    ['--json', `--project=${join('..', 'project')}`],
  ])
    expect(await runRalph([...options, 'list'], elsewhere)).toEqual(behind);
});

it.each([
  [[], []],
  [
    ['list', '--project', 'a'],
    ['list', '--project', 'a'],
  ],
  // The later one wins, so what was written behind the command does.
  [
    ['--project', 'a', 'list', '--project', 'b'],
    ['list', '--project', 'a', '--project', 'b'],
  ],
  [
    ['--project', 'a', 'add', '--', '-x'],
    ['add', '--project', 'a', '--', '-x'],
  ],
  [['--project', 'a', '--help'], ['--help']],
  [['--project', 'a'], []],
  [['--project'], ['--project']],
  [
    ['--version', '--json'],
    ['--version', '--json'],
  ],
])('the words %j are read as %j', (words, read) => {
  expect(commandFirst(words)).toEqual(read);
});
