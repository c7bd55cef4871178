import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

/** Put together here: a scanner of this repository must not find it. */
const KEY = ['AKIA', 'Z7QX', 'M4WP', 'T2KD', 'R6VN'].join('');

it('a commit that would hold a secret waits for the person, who may allow it', async () => {
  const { project, git } = await scripted({
    1: [[shell(`echo 'key: ${KEY}' > deploy.yml`), done(`The key is ${KEY}.`)], [done('As allowed.')]],
  });
  await project.json('add', 'Deploy');
  const { code, stdout } = await project.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain('The commit would hold what looks like a secret');
  expect(stdout).toContain('"deploy.yml" at line 1');
  expect(stdout).not.toContain(KEY);
  expect(git('log', '--format=%s')).toBe('Start\n');
  await project.json('answer', '1', 'allow');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(git('show', '--format=%s', '--name-only')).toBe('Deploy\n\ndeploy.yml\n');
});

it('a file that the configuration names may hold secrets, and the message of its commit holds none', async () => {
  const { project, git } = await scripted(
    { 1: [[shell(`mkdir test; echo 'key: ${KEY}' > test/fixture.yml`), done(`It is ${KEY}.`)]] },
    'secrets_allowed: ["test/**"]\n',
  );
  await project.json('add', 'Test');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(git('log', '--format=%B')).not.toContain(KEY);
});
