import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it.each([
  ['in a slot', ''],
  ['in place', 'in_place: true\n'],
])('a flaky gate refutes no work %s, and status and report tell its rate', async (_, mode) => {
  const { project, config } = await scripted({ 1: [[shell('echo 1 > 1.txt'), done()]] });
  const flag = join(project.home, 'has-run');
  // Red in its first run on files with work, and green in the next.
  const command = `test ! -e 1.txt || test -e ${flag} || { touch ${flag}; echo FAIL; exit 1; }`;
  await config(`${mode}gates: [{ name: test, command: "${command}" }]\n`);
  await project.json('add', 'One');
  const ran = await project.within('run');
  expect(ran).toMatchObject({ code: 0 });
  const rate = 'gate test is flaky: 1 of 3 runs was red on files on which it then passed';
  expect(ran.stdout).toContain(rate);
  expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 0 });
  expect((await project.within('status')).stdout).toContain(rate);
  const flaky_gates = [{ name: 'test', red: 1, runs: 3 }];
  expect(await project.json('status')).toMatchObject({ flaky_gates });
  expect(await project.json('report')).toMatchObject({ flaky_gates, failed_gates: [] });
  expect((await project.within('report')).stdout).toContain(
    '## Flaky gates\n\n- **test**: 1 of 3 runs was red on files on which it then passed',
  );
});

it('a gate that repairs files in the checkout is not flaky, and the person hears of what it changed', async () => {
  const { project } = await scripted(
    { 1: [[shell('echo bad > 1.txt'), done()]] },
    'in_place: true\ngates: [{ name: format, command: "! grep -q bad 1.txt || { echo good > 1.txt; exit 1; }" }]\n',
  );
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('these files are not committed: 1.txt.'),
  });
  expect(await project.json('show', '1')).toMatchObject({ sessions: [{ outcome: 'gate_failed' }] });
  expect(await project.json('status')).toMatchObject({ flaky_gates: [] });
});
