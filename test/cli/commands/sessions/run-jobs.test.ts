import { expect, it } from 'vitest';
import { initialised } from '../../../support/ralph.ts';
import { scripted } from '../../../support/scripted-agent.ts';

it.each(['0', '65', '-1', 'many'])('ralph run --jobs %s is refused, and names the range', async (count) => {
  const { within } = await initialised();
  expect(await within('run', '--jobs', count)).toMatchObject({
    code: 2,
    stderr: `ralph: "${count}" cannot be the value of --jobs; give a number from 1 to 64.\n`,
  });
});

it('several jobs in one checkout are refused, whoever asks for the checkout', async () => {
  const { project, config } = await scripted({});
  const sentence = 'Several sessions cannot work in one checkout at the same time; leave out';
  expect((await project.within('run', '--jobs', '2', '--in-place')).stderr).toContain(sentence);
  await config('in_place: true\n');
  expect((await project.within('run', '--jobs', '2')).stderr).toContain(sentence);
});

it('a configuration with in_place and several jobs runs one at a time, and says so once', async () => {
  const { project, config } = await scripted({});
  await config('in_place: true\njobs: 4\n');
  const { code, stdout } = await project.within('run', '--max-sessions', '0');
  expect(code).toBe(0);
  expect(stdout.match(/one session runs at a time instead of 4/g)).toHaveLength(1);
  await config('in_place: true\njobs: 1\n');
  expect((await project.within('run', '--max-sessions', '0')).stdout).not.toContain('at a time');
});
