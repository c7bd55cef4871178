import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

/** As a person types it beside the run: without what Ralph puts into the agent's environment. */
const byPerson = (line: string) => shell(`unset GIT_REFLOG_ACTION; ${line}`);

/** In place: in slots no session sees the person's branch. */
async function project(attempts: Parameters<typeof scripted>[0], config = ''): Promise<ScriptedProject> {
  const made = await scripted(attempts, `in_place: true\n${config}`, { isEmpty: true });
  const { git, project: given } = made;
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  writeFileSync(join(given.root, 'base.txt'), 'base\n');
  git('add', 'base.txt');
  git('commit', '-qm', 'Begin');
  return made;
}

/** What a clone has of each commit: subject and files. */
const history = (git: ScriptedProject['git']): string[] =>
  git('log', '--reverse', '--name-only', '--format=%x00%s')
    .split('\0')
    .slice(1)
    .map((entry) => entry.trim().split(/\n+/).join(' '));

it("a colleague's commits that a person pulls in mid-session stay on the branch, and none is in the task's commit", async () => {
  const { project: given, git } = await project({
    1: [
      [
        shell('echo 1 > 1.txt'),
        byPerson(
          'git stash -q -u -- 1.txt; git fetch -q ../colleague && git rebase -q FETCH_HEAD && git stash pop -q',
        ),
        done(),
      ],
    ],
  });
  const env = { HOME: given.home, PATH: process.env['PATH'] };
  const colleague = (line: string) => execFileSync('sh', ['-c', line], { cwd: join(given.root, '..'), env });
  colleague(
    'git clone -q project colleague && cd colleague && git config user.name C && git config user.email c@example.com && echo c > colleague.txt && git add . && git commit -qm "Of a colleague"',
  );
  // A commit of the person's own that is rebased onto it.
  writeFileSync(join(given.root, 'mine.txt'), 'mine\n');
  git('add', 'mine.txt');
  git('commit', '-qm', 'Mine');
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 0, stderr: '' });
  expect(history(git)).toEqual([
    'Begin base.txt',
    'Of a colleague colleague.txt',
    'Mine mine.txt',
    'One 1.txt',
  ]);
});

it('a commit that a person amends in mid-session stays amended', async () => {
  const { project: given, git } = await project({
    1: [[shell('echo 1 > 1.txt'), byPerson('git commit -q --amend -m Amended'), done()]],
  });
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 0, stderr: '' });
  expect(history(git)).toEqual(['Amended base.txt', 'One 1.txt']);
});

it('an amended commit of the agent is undone as before', async () => {
  const { project: given, git } = await project({
    1: [[shell('echo 1 > 1.txt; git commit -q --amend -m Stolen'), done()]],
  });
  await given.json('add', 'One');
  expect((await given.within('run')).stdout).toContain('replaced the history (');
  expect(history(git)).toEqual(['Begin base.txt', 'One 1.txt']);
});

it('a person who switches branches in mid-session is asked, and nothing is committed on their branch', async () => {
  const { project: given, git } = await project({
    1: [[shell('echo 1 > 1.txt'), byPerson('git switch -q -c topic'), done()], [done()]],
    2: [[shell('echo 2 > 2.txt'), done()]],
  });
  const branch = git('branch', '--show-current').trim();
  await given.json('add', 'One');
  const { code, stdout } = await given.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain(`The work tree went from ${branch} to topic while task 1 was at work`);
  expect(history(git)).toEqual(['Begin base.txt']);
  git('switch', '-q', branch);
  await given.json('answer', '1', `I am back on ${branch}.`);
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(history(git)).toEqual(['Begin base.txt', 'One 1.txt']);
  expect(git('log', '--format=%s', 'topic')).toBe('Begin\n');
});

it("a person's commits during an unfinished session are not taken out of the tree with its work", async () => {
  const { project: given, git } = await project(
    {
      1: [
        [
          shell('echo 1 > 1.txt'),
          byPerson('echo p > person.txt; git add person.txt; git commit -qm Person'),
          done(),
        ],
        [shell('echo better > 1.txt'), done()],
      ],
      2: [[shell('test -e person.txt && test ! -e 1.txt && echo 2 > 2.txt'), done()]],
    },
    'gates: [{ name: test, command: "! grep -qx 1 1.txt" }]\nmax_attempts: 1\n',
  );
  await given.json('add', 'One', '--priority', 'high');
  await given.json('add', 'Two');
  await given.within('run');
  expect(history(git)).toEqual(['Begin base.txt', 'Person person.txt', 'Two 2.txt']);
  await given.json('retry', '1');
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(history(git).at(-1)).toBe('One 1.txt');
});

it('Ralph refuses a done without a change even if a person has committed during its session', async () => {
  const { project: given, git } = await project(
    {
      1: [
        [
          byPerson('echo p > person.txt; git add person.txt; git commit -qm Person'),
          { verb: 'done', args: { summary: 'Nothing.' } },
        ],
      ],
    },
    'limits: { stuck: 1 }\n',
  );
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 10 });
  expect(await given.json('show', '1')).not.toMatchObject({ status: 'done' });
  expect(history(git)).toEqual(['Begin base.txt', 'Person person.txt']);
});

it('no empty commit is made for work that the history holds already', async () => {
  const { project: given, git } = await project({
    1: [
      [
        shell('echo 1 > 1.txt; git add 1.txt; git commit -qm Mine'),
        byPerson('echo p > person.txt; git add person.txt; git commit -qm Person'),
        done(),
      ],
    ],
  });
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(await given.json('show', '1')).toMatchObject({ status: 'done', receipt: { commit: null } });
  expect(history(git)).toEqual(['Begin base.txt', 'Mine 1.txt', 'Person person.txt']);
});

it("an agent's commit with a person's changes, under a commit of the person, parks its task", async () => {
  const { project: given, git } = await project({
    1: [
      [
        shell('echo 1 > 1.txt; git add 1.txt base.txt; git commit -qm Stolen'),
        byPerson('echo p > person.txt; git add person.txt; git commit -qm Person'),
        done(),
      ],
      [{ verb: 'done', args: { summary: 'Built.' } }],
    ],
  });
  writeFileSync(join(given.root, 'base.txt'), 'not ready\n');
  await given.json('add', 'One');
  const { code, stdout } = await given.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain('The agent of task 1 committed base.txt with your changes');
  await given.json('answer', '1', 'It may stay.');
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(await given.json('show', '1')).toMatchObject({ status: 'done' });
  expect(history(git)).toEqual(['Begin base.txt', 'Stolen 1.txt base.txt', 'Person person.txt']);
});

it('a session survives a person who prunes objects while it works', async () => {
  const { project: given, git } = await project(
    {
      1: [
        [shell('echo 1 > 1.txt; git gc -q --prune=now'), done()],
        [shell('git gc -q --prune=now; echo good > 1.txt'), done()],
      ],
      2: [[shell('git gc -q --prune=now; echo 2 > 2.txt'), done()]],
    },
    'gates: [{ name: test, command: "git gc -q --prune=now; ! grep -qsx 1 1.txt" }]\n',
  );
  await given.json('add', 'One');
  await given.json('add', 'Two');
  expect(await given.within('run')).toMatchObject({ code: 0, stderr: '' });
  expect(history(git)).toEqual(['Begin base.txt', 'One 1.txt', 'Two 2.txt']);
});

it("a person's commit and amend stay even if git keeps no reflog", async () => {
  const { project: given, git } = await project({
    1: [[shell('echo 1 > 1.txt'), byPerson('git commit -q --amend -m Amended'), done()]],
  });
  git('config', 'core.logAllRefUpdates', 'false');
  execFileSync('rm', ['-r', join(given.root, '.git/logs')]);
  await given.json('add', 'One');
  const { code, stdout } = await given.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain('The history was replaced while task 1 was at work');
  expect(history(git)).toEqual(['Amended base.txt']);
});
