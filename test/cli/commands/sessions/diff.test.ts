import { expect, it } from 'vitest';
import { initialised, runWithin } from '../../../support/ralph.ts';
import { done, scripted, shell } from '../../../support/scripted-agent.ts';

const half = { verb: 'partial', args: { summary: 'Half', remaining: 'The rest' } };

it('ralph diff shows the commit of a done task, and the work of each session by its number', async () => {
  const { project, git } = await scripted({
    1: [
      [shell('echo first > a.txt'), half],
      [shell('echo second >> a.txt'), done()],
    ],
  });
  await project.json('add', 'Build it');
  await project.within('run');
  const commit = git('log', '-1', '--format=%H', '--', 'a.txt').trim();
  const { stdout } = await project.within('diff', '1');
  expect(stdout).toMatch(new RegExp(`^#1 Build it {2}commit ${commit.slice(0, 7)}, session \\w{8}\n`));
  expect(stdout).toContain('+++ b/a.txt\n@@ -0,0 +1,2 @@\n+first\n+second\n');
  // Its ref is gone, but git still has the commit.
  const first = await project.within('diff', '1', '--attempt', '1');
  expect(first.stdout).toMatch(/unfinished work \w{7}, session \w{8}\n[\s\S]*\+first\n$/);
  expect(first.stdout).not.toContain('second');
  expect(await project.json('diff', '1')).toMatchObject({ task_id: 1, kind: 'landed', commit, attempt: 2 });
  expect((await project.within('diff', '1', '--attempt', '3')).stderr).toContain(
    'Task 1 has had 2 sessions, so there is no session 3 of it; ralph show 1 lists them.',
  );
});

it('ralph diff finds the work of a rebased task by its trailer, if git has removed the commit of the receipt', async () => {
  const { project, git } = await scripted({ 1: [[shell('echo first > a.txt'), done()]] });
  await project.json('add', 'Build it');
  await project.within('run');
  const before = git('rev-parse', 'HEAD').trim();
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-q', '--amend', '--no-edit');
  const commit = git('rev-parse', 'HEAD').trim();
  for (const ref of git('for-each-ref', '--format=%(refname)', '--points-at', before).trim().split('\n'))
    git('update-ref', ref, commit);
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  expect(() => git('cat-file', '-e', before)).toThrow();
  expect(await project.json('diff', '1')).toMatchObject({ kind: 'landed', commit, attempt: 1 });
  expect(await project.json('show', '1')).toMatchObject({ receipt: { commit: before } });
});

it('ralph diff shows the last attempt that left work, with control characters made visible', async () => {
  const { project } = await scripted({
    1: [[shell("printf '\\033[31mred\\n' > a.txt"), half]],
  });
  await project.json('add', 'Build it');
  expect((await project.within('diff', '1')).stderr).toContain(
    'Task 1 has had no session yet, so there is nothing to show; ralph why 1',
  );
  await project.within('run', '--once');
  const plain = await project.within('diff', '1');
  expect(plain.stdout).toMatch(/^#1 Build it {2}unfinished work \w{7}, session \w{8}\n/);
  expect(plain.stdout).toContain('\n+␛[31mred\n');
  const env = { HOME: project.home, PATH: process.env['PATH'] };
  const colored = await runWithin(['diff', '1'], { cwd: project.root, env, color: true });
  expect(colored.stdout).toContain('\u001b[32m+␛[31mred\u001b[39m');
});

it('ralph diff refuses where there is nothing to show', async () => {
  const plain = await initialised({ git: false });
  await plain.json('add', 'Build it');
  expect((await plain.within('diff', '1')).stderr).toContain('in no git repository');
  expect((await plain.within('diff', '7')).stderr).toContain('There is no task 7');
  expect(await plain.within('diff', '1', '--attempt', '0')).toMatchObject({ code: 2 });
});

it('the shell completes ralph diff with the numbers of tasks', async () => {
  const { json, within } = await initialised();
  await json('add', 'Build it');
  expect((await within('complete', '--', 'diff', '')).stdout).toContain('1\tBuild it');
});
