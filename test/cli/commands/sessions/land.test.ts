import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, runWithin, type TestProject } from '../../../support/ralph.ts';

type Repository = TestProject & { git: (...args: string[]) => string };

/** A repository whose branch is `main`, with one commit. */
async function repository(): Promise<Repository> {
  const project = await initialised();
  const env = {
    HOME: project.home,
    PATH: process.env['PATH'],
    ...{ GIT_AUTHOR_NAME: 'Pat', GIT_AUTHOR_EMAIL: 'pat@example.com' },
    ...{ GIT_COMMITTER_NAME: 'Pat', GIT_COMMITTER_EMAIL: 'pat@example.com' },
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: project.root, env, encoding: 'utf8' }).trim();
  git('checkout', '-q', '-B', 'main');
  writeFileSync(join(project.root, 'a.txt'), 'one\n');
  git('add', 'a.txt');
  git('commit', '-q', '-m', 'first');
  return { ...project, git };
}

/** Two commits on the trunk, as if two tasks had landed. */
function landTwo({ git, root }: Repository): void {
  git('checkout', '-q', '-b', 'ralph/main');
  writeFileSync(join(root, 'a.txt'), 'two\n');
  git('commit', '-q', '-am', 'second');
  writeFileSync(join(root, 'b.txt'), 'new\n');
  git('add', 'b.txt');
  git('commit', '-q', '-m', 'third');
  git('checkout', '-q', 'main');
}

it('ralph land brings branch and checkout forward, and says where they are', async () => {
  const project = await repository();
  const { within, git, root } = project;
  expect(await within('land')).toMatchObject({
    code: 0,
    stdout: 'Nothing has landed for main yet: there is no branch ralph/main.\n',
  });
  landTwo(project);
  const commit = git('rev-parse', '--short=7', 'ralph/main');
  expect(await within('land')).toMatchObject({ code: 0, stdout: `main is at ${commit} (2 new commits).\n` });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
  expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(await within('land')).toMatchObject({
    code: 0,
    stdout: `main is at ${commit} and has everything that landed.\n`,
  });
});

it('ralph land waits while a changed file of the person is in the way, and status tells of it', async () => {
  const project = await repository();
  const { within, root, git } = project;
  landTwo(project);
  writeFileSync(join(root, 'a.txt'), 'mine\n');
  expect((await within('status')).stdout).toContain(
    'NEEDS YOU\n  ↓ 2 commits wait on ralph/main   ralph land\n',
  );
  const { code, stdout } = await within('land');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: '2 commits wait on ralph/main. Commit or stash a.txt, then run ralph land.\n',
  });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('mine\n');
  expect(existsSync(join(root, 'b.txt'))).toBe(false);
  expect(git('log', '-1', '--format=%s')).toBe('first');
});

it('ralph land moves nothing if branch and trunk have diverged, and says how to merge them', async () => {
  const project = await repository();
  const { within, root, git } = project;
  landTwo(project);
  writeFileSync(join(root, 'own.txt'), 'own\n');
  git('add', 'own.txt');
  git('commit', '-q', '-m', 'own');
  expect(await within('land')).toMatchObject({
    code: 1,
    stdout:
      'main and ralph/main have diverged: main has 1 commit of its own, ralph/main has 2. Merge them with: git merge ralph/main\n',
  });
  expect(JSON.parse((await within('land', '--json')).stdout)).toEqual({
    branch: 'main',
    kind: 'diverged',
    pull_requests: [],
    commits: 2,
    own: 1,
  });
  expect((await within('status')).stdout).toContain('which diverged   ralph land');
  git('merge', '-q', '--no-edit', 'ralph/main');
  expect((await within('land')).code).toBe(0);
});

it('ralph land tells nobody to merge what they have replaced', async () => {
  const project = await repository();
  const { within, git } = project;
  landTwo(project);
  git('update-ref', 'refs/ralph/followed/main', 'main');
  git('commit', '-q', '--amend', '-m', 'amended');
  expect(await within('land')).toMatchObject({
    code: 1,
    stdout:
      '2 commits wait on ralph/main. You replaced commits of main that work on ralph/main builds on. The next ralph run puts that work on top of the new ones.\n',
  });
  expect((await within('status')).stdout).toContain(
    '  ↓ 2 commits wait on ralph/main to go on top of the new main   ralph run\n',
  );
});

it('landed work that a person has and amends waits for nobody', async () => {
  const project = await repository();
  const { within, json, git } = project;
  landTwo(project);
  await within('land');
  git('commit', '-q', '--amend', '-m', 'amended');
  expect((await within('status')).stdout).not.toContain('NEEDS YOU');
  expect(await json('status')).toMatchObject({ landing: { landed: 0, own: 1, rewritten: true } });
  expect((await within('land')).stdout).toMatch(/^main is at \w+ and has everything that landed\.\n$/);
});

it('ralph land is for a person, and needs a repository', async () => {
  const { root, home } = await repository();
  const env = { HOME: home, PATH: process.env['PATH'], RALPH_SESSION_ID: 'aaaaaaaa-1' };
  expect((await runWithin(['land'], { cwd: root, env })).stderr).toContain('only a person moves');
  const plain = await initialised({ git: false });
  expect(await plain.within('land')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('in no git repository'),
  });
});

it('ralph status finds no waiting commits, and no slots, where nothing has landed', async () => {
  const { json, within } = await repository();
  expect(await json('status')).toMatchObject({ slots: 0, landing: null });
  expect((await within('status')).stdout).not.toMatch(/slots|NEEDS YOU/);
});
