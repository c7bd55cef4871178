// The loopback GitHub itself: what it does not let pass, and that its pull requests are those of a real repository.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openGithub } from '../../../src/host/github/client.ts';
import { complete } from '../../support/github/complete.ts';
import { type FakeGithub, fakeGithub, mergePull } from '../../support/github.ts';
import { tempDir } from '../../support/temp.ts';

const clientOf = ({ api }: FakeGithub) =>
  openGithub({ api, token: { value: 'a-token-of-nobody', from: 'X' }, isPatient: false, tell: () => {} });

/** What it reports, which would otherwise fail the test at its end. */
const takeViolations = (fake: FakeGithub): string => fake.violations.splice(0).join('\n');

it('a request that GitHub does not have is refused, and is a violation', async () => {
  const fake = await fakeGithub([{ number: 1, title: 'One' }]);
  const client = clientOf(fake);
  await expect(client.get('/repos/octo/shelf/tickets')).rejects.toThrow('422');
  expect(takeViolations(fake)).toMatch(/^GitHub has no GET \/repos\/octo\/shelf\/tickets/);
  await expect(client.get('/repos/octo/shelf/issues?label=x')).rejects.toThrow('422');
  expect(takeViolations(fake)).toContain('query of GET /repos/{owner}/{repo}/issues');
  await expect(client.get('/repos/octo/shelf/issues?state=shut')).rejects.toThrow('422');
  expect(takeViolations(fake)).toContain('/state must be equal to one of the allowed values');
  await expect(client.get('/repos/octo/shelf/issues/one')).rejects.toThrow('422');
  expect(takeViolations(fake)).toContain('/issue_number must be integer');
  const comments = '/repos/octo/shelf/issues/1/comments';
  await expect(client.send('POST', comments, { text: 'Hello' })).rejects.toThrow('422');
  expect(takeViolations(fake)).toContain(`must have required property 'body'`);
  await expect(client.send('POST', comments, { body: 'Hello', to: 'kim' })).rejects.toThrow('422');
  expect(takeViolations(fake)).toContain('"additionalProperty":"to"');
  expect(fake.comments).toEqual([]);
});

it('an answer that GitHub would not give is a violation', async () => {
  const fake = await fakeGithub([{ number: 1, title: 'One', colour: 'red' }]);
  await clientOf(fake).get('/repos/octo/shelf/issues/1');
  expect(takeViolations(fake)).toContain('"additionalProperty":"colour"');
  fake.issues = [{ number: 1, title: 'One', closed_at: 'yesterday' }];
  await clientOf(fake).get('/repos/octo/shelf/issues/1');
  expect(takeViolations(fake)).toContain('/closed_at must match format "date-time"');
});

it('what a schema requires is filled in, and what a test says stays', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: {
        type: 'array',
        items: { type: 'object', properties: { c: { type: 'integer' } }, required: ['c'] },
      },
    },
    required: ['a'],
  };
  expect(complete(schema, { b: [{}, { c: 2 }] })).toEqual({ a: 'x', b: [{ c: 1 }, { c: 2 }] });
});

it('lists have pages of thirty unless they are asked for more, and one page leads to the next', async () => {
  const fake = await fakeGithub(
    Array.from({ length: 70 }, (_, index) => ({ number: index + 1, title: 'x' })),
  );
  expect(await clientOf(fake).list('/repos/octo/shelf/issues')).toHaveLength(70);
  expect(fake.asked).toHaveLength(3);
});

it('a pull request has the head of its branch, comes once, and merges as git does', async () => {
  const fake = await fakeGithub();
  const { bare, push } = repository();
  fake.repository = bare;
  const client = clientOf(fake);
  const create = () =>
    client.send('POST', '/repos/octo/shelf/pulls', { title: 'Add', head: 'octo:add', base: 'main' });
  await expect(create()).rejects.toThrow('head add is not a branch');
  const sha = push('add', 'a.txt', 'one');
  expect(await create()).toMatchObject({ status: 201, value: { number: 1, head: { sha }, mergeable: true } });
  await expect(create()).rejects.toThrow('A pull request already exists for octo:add');
  expect(await client.list('/repos/octo/shelf/pulls?head=octo:add&state=all')).toMatchObject([{ number: 1 }]);
  fake.checks.set(sha, [{ id: 7, name: 'test', status: 'completed', conclusion: 'failure', log: 'red' }]);
  fake.statuses.set(sha, [{ context: 'ci', state: 'pending' }]);
  fake.pulls[0]?.reviews.push({
    id: 1,
    login: 'lee',
    state: 'CHANGES_REQUESTED',
    body: 'No.',
    commit_id: sha,
    submitted_at: '2026-01-07T10:00:00Z',
  });
  fake.pulls[0]?.remarks.push({
    id: 2,
    login: 'lee',
    path: 'a.txt',
    line: 1,
    body: 'Two!',
    commit_id: sha,
    review: 1,
  });
  const place = '/repos/octo/shelf';
  expect(await client.get(`${place}/commits/add/check-runs`)).toMatchObject({
    value: { total_count: 1, check_runs: [{ conclusion: 'failure', head_sha: sha }] },
  });
  expect(await client.get(`${place}/commits/${sha}/status`)).toMatchObject({ value: { state: 'pending' } });
  expect(await client.list(`${place}/pulls/1/reviews`)).toMatchObject([{ state: 'CHANGES_REQUESTED' }]);
  expect(await client.list(`${place}/pulls/1/comments`)).toMatchObject([{ body: 'Two!', line: 1 }]);
  expect(await client.list(`${place}/issues`)).toMatchObject([{ number: 1, pull_request: {} }]);
  await expect(client.get(`${place}/actions/jobs/7/logs`)).rejects.toThrow('to no other host');
  const merged = mergePull(fake, 1);
  expect(await client.get(`${place}/pulls/1`)).toMatchObject({
    value: { state: 'closed', merged: true, merge_commit_sha: merged, head: { sha } },
  });
  expect(await client.get(`${place}/git/ref/heads/main`)).toMatchObject({
    value: { object: { sha: merged } },
  });
  expect(await client.send('DELETE', `${place}/git/refs/heads/add`)).toMatchObject({ status: 204 });
  expect(await client.get(`${place}/git/ref/heads/add`)).toMatchObject({ status: 404 });
});

it('branches that conflict do not merge', async () => {
  const fake = await fakeGithub();
  const { bare, push } = repository();
  fake.repository = bare;
  push('add', 'a.txt', 'one');
  const client = clientOf(fake);
  await client.send('POST', '/repos/octo/shelf/pulls', { title: 'Add', head: 'add', base: 'main' });
  push('main', 'a.txt', 'two');
  expect(await client.get('/repos/octo/shelf/pulls/1')).toMatchObject({ value: { mergeable: false } });
  await expect(client.send('PUT', '/repos/octo/shelf/pulls/1/merge', {})).rejects.toMatchObject({
    status: 405,
  });
});

/** A bare repository with a commit on main, and a clone that pushes to it. */
function repository(): { bare: string; push(branch: string, file: string, text: string): string } {
  const folder = tempDir();
  const [bare, clone] = [join(folder, 'origin.git'), join(folder, 'clone')];
  const env = { PATH: process.env['PATH'], HOME: folder };
  const run = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  run(folder, 'init', '-q', '--bare', '-b', 'main', bare);
  run(folder, 'clone', '-q', bare, clone);
  run(clone, 'commit', '-q', '--allow-empty', '-m', 'First');
  run(clone, 'push', '-q', 'origin', 'HEAD:main');
  const push = (branch: string, file: string, text: string): string => {
    run(clone, 'checkout', '-q', '-B', branch, 'origin/main');
    writeFileSync(join(clone, file), text);
    run(clone, 'add', file);
    run(clone, 'commit', '-q', '-m', `Write ${file}`);
    run(clone, 'push', '-q', 'origin', branch);
    return run(clone, 'rev-parse', 'HEAD');
  };
  return { bare, push };
}
