// An agent at work finds `ralph` on its path, with a queue that decides over its work. It may look.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, runWithin } from '../support/ralph.ts';

it('a command for persons refuses an agent in its session', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  await project.json('add', 'Two', '--draft');
  writeFileSync(join(project.root, 'plan.md'), '- [x] Three\n');
  const before = await project.json('list');
  const env = { HOME: project.home, PATH: process.env['PATH'], RALPH_SESSION_ID: 'mine' };
  const asAgent = (...args: string[]) => runWithin(args, { cwd: project.root, env });
  for (const args of [
    ['skip', '1'],
    ['retry', '1'],
    ['edit', '1', '--title', 'Uno'],
    ['approve', '2'],
    ['answer', '1', 'yes'],
    ['flag', 'close', '1'],
    ['answer', '1', '--dismiss'],
    ['comment', '1', 'It is all fine'],
    ['files', 'remove', 'auth', 'a.ts'],
    ['import', 'plan.md'],
    ['plan', '--apply', 'x'],
    ['plan', '--yes'],
    ['trust', '--yes'],
  ])
    expect({ args, ...(await asAgent(...args)) }).toMatchObject({
      args,
      code: 1,
      stderr: expect.stringMatching(/^ralph: This is a session of an agent, and only a person [^\n]+\n$/),
    });
  expect(await asAgent('list')).toMatchObject({ code: 0, stderr: '' });
  expect(await project.json('list')).toEqual(before);
});
