import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it('what the tests of one task leave in ignored files and in the home changes no gate of the next task', async () => {
  const leave = 'mkdir -p cache; echo 1 > cache/left; echo 1 > ~/.left';
  const look = 'test ! -e cache/left && test ! -e ~/.left';
  const { project, config } = await scripted({
    1: [[shell(`echo cache/ > .gitignore; echo '${leave}' > test.sh`), done()]],
    2: [[shell(`echo '${look}' > test.sh`), done()]],
  });
  // The gate runs what the agent wrote, as it runs tests.
  await config('max_attempts: 1\ngates: [{ name: test, command: "! test -e test.sh || sh test.sh" }]\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  await project.within('run');
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  expect(await project.json('show', '2')).toMatchObject({ status: 'done' });
});
