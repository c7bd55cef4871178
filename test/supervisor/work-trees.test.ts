// A run that was killed in one work tree of a repository, and a run in another one: they share the queue, and no files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { killCarriers } from '../../src/host/processes/reap.ts';
import { runWithin, type TestProject } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

/** Writes into its work tree, says what the test wants, and waits for ever. */
const hang = (...said: Step[]): Step[] => [
  shell('echo work > work.txt; echo $RALPH_SESSION_ID > ~/id.part'),
  ...said,
  shell('mv ~/id.part ~/id; while [ ! -e ~/go ]; do sleep 0.05; done'),
];

/** The main work tree, a linked one beside it, and a run in the linked one that was killed in its session. */
async function killedInLinked(first: Step[], { second = [done('Two.')], config = 'in_place: true\n' } = {}) {
  const { project, git } = await scripted({ 1: [first, [done('Again.')]], 2: [second] }, config);
  git('config', 'user.email', 'a@example.org');
  git('config', 'user.name', 'A');
  git('add', '-f', '.ralph');
  git('commit', '-qm', 'Begin');
  const linked = join(project.root, '..', 'linked');
  git('worktree', 'add', '-q', '-b', 'agent', linked);
  await project.json('add', 'One', '--priority', 'high');
  const options = {
    cwd: linked,
    env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] },
  };
  await runWithin(['trust', '--yes'], options);
  const run = spawn(process.execPath, [inject('ralph'), 'run'], { ...options, stdio: 'ignore' });
  await expect.poll(() => existsSync(join(project.home, 'id'))).toBe(true);
  const id = readFileSync(join(project.home, 'id'), 'utf8').trim();
  onTestFinished(() => void killCarriers(`RALPH_SESSION_ID=${id}`));
  run.kill('SIGKILL');
  await once(run, 'exit');
  return { project, git, linked, id, inLinked: (...args: string[]) => runWithin(args, options) };
}

const statusOf = async (project: TestProject, id: number): Promise<unknown> =>
  project.json('show', String(id));

it.each([
  ['in a slot', ''],
  ['in place', 'in_place: true\n'],
])(
  "a run in one work tree leaves another one's session %s alone, says where it is, and does the rest",
  async (_, config) => {
    const { project, git, linked, id, inLinked } = await killedInLinked(hang(done('One.')), { config });
    writeFileSync(join(project.root, 'private.txt'), 'of a person\n');
    const before = [git('rev-parse', 'HEAD'), git('symbolic-ref', 'HEAD'), git('status', '--porcelain')];
    const sentence = `Session ${id.slice(0, 8)} of task 1 was left unfinished in ${linked}; run ralph run there.`;

    const ran = await project.within('run');
    expect(ran.stdout).toContain(`! ${sentence}\n`);
    expect(ran).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('Nothing is ready: 1 running.'),
    });
    expect([git('rev-parse', 'HEAD'), git('symbolic-ref', 'HEAD'), git('status', '--porcelain')]).toEqual(
      before,
    );
    expect(await statusOf(project, 1)).toMatchObject({ status: 'in_progress', receipt: null });

    expect((await project.within('status')).stdout).toContain(`▷ ${sentence}`);
    expect((await project.within('why', '1')).stdout).toContain(
      `is held by session ${id}. Its process is gone; the next ralph run in ${linked} finishes it.`,
    );
    expect((await project.within('doctor')).stdout).toContain(sentence);

    expect(await inLinked('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('#1 of a run that died is done'),
    });
    expect(git('show', '--name-only', '--format=', 'agent')).toContain('work.txt');
    expect(git('rev-parse', 'HEAD')).toBe(before[0]);
  },
);

it('a run in another work tree works on the tasks that no session holds', async () => {
  const { project, git, linked } = await killedInLinked(hang(), {
    second: [shell('echo two > two.txt'), done('Two.')],
  });
  await project.json('add', 'Two');
  expect(await project.within('run')).toMatchObject({ code: 10 });
  expect(await statusOf(project, 1)).toMatchObject({ status: 'in_progress' });
  expect(await statusOf(project, 2)).toMatchObject({ status: 'done' });
  expect(git('show', '--name-only', '--format=')).toBe('two.txt\n');
  expect(readFileSync(join(linked, 'work.txt'), 'utf8')).toBe('work\n');
});

it('what a session made in its slot is there for the next one, though its work tree was deleted', async () => {
  const { project, git, linked } = await killedInLinked(hang(), { config: '' });
  rmSync(linked, { recursive: true });
  expect(await project.within('run', '--once')).toMatchObject({ code: 0 });
  expect(await statusOf(project, 1)).toMatchObject({
    status: 'done',
    attempts: 0,
    sessions: [{ outcome: 'interrupted' }, { outcome: 'done' }],
  });
  expect(git('show', '--name-only', '--format=')).toContain('work.txt\n');
});

it('a session whose work tree was deleted is settled without gates or commit, at no cost to its task', async () => {
  const { project, git, linked } = await killedInLinked(hang(done('One.')));
  rmSync(linked, { recursive: true });
  const ran = await project.within('run', '--once');
  expect(ran.stdout).toContain('#1 of a run that died is queued (interrupted)');
  expect(await statusOf(project, 1)).toMatchObject({
    status: 'done',
    attempts: 0,
    sessions: [{ outcome: 'interrupted' }, { outcome: 'done' }],
    comments: [
      {
        body: `Ralph could not check the work: the work tree ${linked} no longer exists. If nothing is left to do, say done again.`,
      },
    ],
  });
  expect(git('show', '--name-only', '--format=')).toBe('task-1.txt\n');
});
