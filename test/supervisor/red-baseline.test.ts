import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const stuck = { verb: 'stuck', args: { reason: 'I cannot find the cause.' } };
const gates = (broken: string, lint = 'true'): string =>
  `limits: { stuck: 1 }\ngates: [{ name: lint, command: "${lint}" }, { name: test, command: "test ! -e ${broken} || { echo FAIL a.test.ts; exit 1; }" }]\n`;

/** Outside of the tree. */
const brokenFile = ({ project }: ScriptedProject): string => join(project.home, 'broken');

/** A person breaks the tree, in a commit. */
function breakTree({ project, git }: ScriptedProject): void {
  writeFileSync(join(project.root, 'broken'), '');
  git('add', 'broken');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Break it');
}

it('a gate that is red before the first session stops the run with its output and three ways on, and no task is claimed', async () => {
  const scene = await scripted({ 1: [[shell('echo 1 > 1.txt'), done()]] });
  const { project } = scene;
  await scene.config(gates(brokenFile(scene), 'echo built > built.txt'));
  writeFileSync(brokenFile(scene), '');
  await project.json('add', 'One');
  const { code, stdout } = await project.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain('  before starting, gates 2/2: test failed');
  expect(stdout).toContain('built.txt changed while the gate lint ran');
  expect(stdout).toMatch(/✗ gate test fails before the first session: test ! -e .*\n {4}FAIL a\.test\.ts\n/);
  for (const way of [
    'Repair it and run ralph run again',
    'ralph run --fix-baseline',
    'ralph run --accept-red test.',
  ])
    expect(stdout).toContain(way);
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0, sessions: [] });

  // What it lacked lies outside of the tree, which is the same as before.
  rmSync(brokenFile(scene));
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
});

it('a run repairs a red gate first if a person asked for that, whatever else is urgent', async () => {
  const scene = await scripted(
    {
      1: [[shell('echo 1 > 1.txt'), done()]],
      2: [[shell('rm broken; echo mended > mended.txt'), done('Mended.')]],
    },
    'gates: [{ name: test, command: "test ! -e broken || { echo FAIL a.test.ts; exit 1; }" }]\n',
  );
  const { project, git, promptOf } = scene;
  breakTree(scene);
  await project.json('add', 'One', '--priority', 'critical');
  const ran = await project.within('run', '--fix-baseline');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(git('log', '--reverse', '--format=%s')).toBe('Start\nBreak it\nMake the gate test pass\nOne\n');
  expect(promptOf(2, 0)).toContain('FAIL a.test.ts');
  expect(promptOf(1, 0)).not.toContain('failed already');
});

it('a run begins nothing else if a red gate could not be repaired, and the next run resumes the same task', async () => {
  const mended = { verb: 'done', args: { summary: 'Installed what was missing.' } };
  const scene = await scripted({ 1: [[done()]], 2: [[stuck], [shell('rm ~/broken'), mended]] });
  const { project } = scene;
  await scene.config(gates(brokenFile(scene)));
  writeFileSync(brokenFile(scene), '');
  await project.json('add', 'One');
  expect(await project.within('run', '--fix-baseline')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('Task 2 could not make test pass, and no other task was started.'),
  });
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending', sessions: [] });
  // What was missing lies outside of the tree, so no file has to change.
  expect(await project.within('run', '--fix-baseline')).toMatchObject({ code: 0 });
  expect(await project.json('list')).toHaveLength(2);
});

it('Ralph notices a gate that turned red after a session without changes before the next session', async () => {
  const scene = await scripted({ 1: [[stuck]], 2: [[done()]] }, gates('broken'));
  const { project } = scene;
  await project.json('add', 'One');
  await project.json('add', 'Two');
  await project.within('run', '--max-sessions', '1');
  breakTree(scene);
  expect(await project.within('run')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('The gate test failed before any session began.'),
  });
});

it('a person can accept only a gate that exists', async () => {
  const { project } = await scripted({ 1: [[done()]] }, gates('broken'));
  await project.json('add', 'One');
  expect(await project.within('run', '--accept-red', 'tset')).toMatchObject({
    code: 1,
    stderr: 'ralph: There is no gate "tset"; did you mean "test"?\n',
  });
});
