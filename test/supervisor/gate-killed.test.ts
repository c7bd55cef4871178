import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it('a done whose gate is killed twice parks its task uncharged, and the run goes on with the next', async () => {
  const { project, git, config } = await scripted({
    1: [[shell('echo one > one.txt'), done('One is there.')]],
    2: [[shell('echo two > two.txt'), done('Two is there.')]],
  });
  const memory = join(project.home, 'memory');
  await config(`gates: [{ name: test, command: "test ! -e one.txt || test -e ${memory} || kill -9 $$" }]\n`);
  await project.json('add', 'Write one', '--priority', 'high');
  await project.json('add', 'Write two');
  expect(await project.within('run')).toMatchObject({ code: 10 });
  expect(await project.json('show', '1')).toMatchObject({
    status: 'needs_input',
    attempts: 0,
    receipt: null,
    questions: [
      {
        question: expect.stringMatching(
          /^The gate test \(test ! .*\) was ended twice by SIGKILL, which Ralph did not send\. The machine may be out of memory\./,
        ),
      },
    ],
  });
  expect(await project.json('show', '2')).toMatchObject({ status: 'done' });

  // The person frees memory and answers; the work of the first attempt is still there.
  writeFileSync(memory, '');
  await project.json('answer', '1', 'There is memory again.');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 0 });
  expect(git('show', '--name-only', '--format=')).toBe('one.txt\n');
});

it('a gate that is killed before a task begins is neither red nor green', async () => {
  const { project, promptOf } = await scripted(
    { 1: [[shell('echo one > one.txt'), done('One is there.')]] },
    'gates: [{ name: test, command: "test -e one.txt || kill -9 $$" }]\n',
  );
  await project.json('add', 'Write one');
  const ran = await project.within('run');
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).not.toContain('failed before');
  expect(promptOf(1, 0)).not.toContain('Before this task began');
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { gates: [{ name: 'test', passed: true }] },
  });
});

const TOO_LONG = 'x'.repeat(200_000);

it.each([
  ['agent', `agent: long\nagents: { long: { command: [sh, -c, "true", ${TOO_LONG}] } }\ngates: []\n`],
  ['gate', `gates: [{ name: long, command: [sh, -c, "true", ${TOO_LONG}] }]\n`],
])(
  'a machine that cannot start the %s charges nothing, and the run ends with what to do',
  async (what, text) => {
    const { project, config } = await scripted({ 1: [[shell('echo one > one.txt'), done()]] });
    if (what === 'gate') await config(text);
    else {
      writeFileSync(join(project.root, '.ralph/config.yaml'), text);
      await project.json('trust', '--yes');
    }
    await project.json('add', 'Write one');
    const { code, stdout, stderr } = await project.within('run');
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(new RegExp(`The ${what} "?long"? could not be started: `));
    expect(stdout + stderr).toMatch(/unset\s+large\s+variables,\s.*\(E2BIG\)/s);
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
  },
);
