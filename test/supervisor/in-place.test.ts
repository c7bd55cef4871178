// What a run in the person's checkout asks of them. What it does with git is in test/host/in-place.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

const AS_PERSON = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];

it('a run in place begins no session in a checkout that is not clean, and stops where a gate leaves files', async () => {
  const { project, git, config } = await scripted({
    1: [[shell('echo 1 > 1.txt'), done()]],
    2: [[shell('echo 2 > 2.txt'), done()]],
  });
  await config('in_place: true\ngates: [{ name: test, command: "test ! -e 1.txt || touch coverage.txt" }]\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  writeFileSync(join(project.root, 'mine.txt'), 'of a person\n');
  expect(await project.within('run')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining(
      'these files are not committed: mine.txt. Commit or stash them, or name them in .gitignore if a gate makes them; or run without --in-place.',
    ),
  });
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending', sessions: [] });
  git('add', 'mine.txt');
  git(...AS_PERSON, 'commit', '-qm', 'Mine');
  expect(await project.within('run')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('these files are not committed: coverage.txt.'),
  });
  expect(await project.json('list')).toMatchObject([{ status: 'done' }, { status: 'pending' }]);
  expect(git('log', '--format=%s')).toBe('One\nMine\nStart\n');
  // Nobody has to do anything about the files once no task is ready.
  await project.json('skip', '2');
  expect(await project.within('run')).toMatchObject({ code: 0 });
});

it('a run refuses a repository without a commit, and works without git', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  execFileSync('git', ['update-ref', '-d', 'HEAD'], { cwd: project.root });
  expect(await project.within('run')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The repository has no commit yet'),
  });
  const plain = await initialised({ git: false });
  await plain.json('add', 'One');
  writeFileSync(
    join(plain.root, '.ralph/config.yaml'),
    'agent: mine\nagents: { mine: { command: [sh, -c, "echo 1 > 1.txt; echo \'<TASK_DONE>\'"], protocol: sigils } }\ngates: [{ name: test, command: "test -e 1.txt" }]\n',
  );
  await plain.json('trust', '--yes');
  expect(await plain.within('run')).toMatchObject({ code: 0 });
  expect(await plain.json('show', '1')).toMatchObject({ status: 'done', receipt: { commit: null } });
});

/** The agent is the parent of the shell, and the run the parent of the agent. */
const KILL_RUN = "kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status); sleep 600";

it.each([
  { killed: [], next: ['--in-place'] },
  { killed: ['--in-place'], next: [] },
])('a run with $next goes on with the work of a killed run with $killed', async ({ killed, next }) => {
  const { project, git } = await scripted(
    { 1: [[shell(`echo half > half.txt; ${KILL_RUN}`)], [shell('test -e half.txt'), done()]] },
    'gates: [{ name: test, command: "true" }]\n',
  );
  await project.json('add', 'One');
  await project.ralph('run', ...killed);
  expect(await project.within('run', ...next)).toMatchObject({ code: 0, stderr: '' });
  expect(git('show', 'HEAD:half.txt')).toBe('half\n');
  expect(git('status', '--porcelain', '--', 'half.txt')).toBe('');
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    attempts: 0,
    sessions: [{ outcome: 'interrupted' }, { outcome: 'done' }],
  });
});
