// Work that goes to pull requests: real git, a bare repository, and a GitHub that is held to the published API.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, fault, mergePull, onRequest } from '../../support/github.ts';
import { pullProject } from '../../support/pull-requests.ts';
import { done, shell } from '../../support/scripted-agent.ts';

it('a task lands as a pull request with its receipt; merged, it is done, and its dependents start from it', async () => {
  const { ralph, json, at, pull, github, git } = await pullProject({
    1: [[shell('echo work > 1.txt'), done('Wrote the file, @everyone. Closes #1')]],
    2: [[shell('test -e 1.txt && echo more > 2.txt'), done()]],
  });
  await json('add', 'Write *one* file', '--description', 'It says work.');
  await json('add', 'Two', '--depends-on', '1');
  // GitHub refuses at first: the work is pushed, and the next look opens the pull request.
  github.faults.push(onRequest(/^GET .*\/pulls\?/, answer(401, 'Bad credentials')));
  const first = await ralph('run');
  expect(first).toMatchObject({ code: 10 });
  expect(first.stdout).toMatch(
    /does not accept the token of GH_ENTERPRISE_TOKEN.* looks at the pull requests again/s,
  );
  expect(github.pulls).toEqual([]);
  expect(await json('show', '1')).toMatchObject({
    status: 'blocked',
    blocked_by: expect.stringContaining('branch ralph/task-1-write-one-file, which Ralph opens as soon as'),
  });
  for (const [status, text] of [
    [403, /rate limit of .* is used up until/],
    [500, /cannot be reached \(it answers 500\)/],
  ] as const) {
    const headers = status === 403 ? { 'retry-after': '7200' } : {};
    github.faults.push(onRequest(/^POST .*\/pulls$/, answer(status, 'No', headers)));
    expect(await ralph('land')).toMatchObject({ code: 1, stderr: expect.stringMatching(text) });
  }
  const landed = await ralph('land');
  expect(landed.stdout).toMatch(
    /^#1: pull request https:\S+\/pull\/1 is open; the task is done once it is merged/,
  );
  expect(pull()).toMatchObject({
    title: 'Write *one* file',
    base: 'main',
    head: 'ralph/task-1-write-one-file',
  });
  const head = at('rev-parse', pull().head);
  const tree = at('rev-parse', `${head}^{tree}`);
  const { sessions } = (await json('show', '1')) as { sessions: [{ id: string }] };
  for (const part of [
    '```\nWrite *one* file\n\nIt says work.\n```',
    // In a fence nobody is called, and no issue is closed.
    '```\nWrote the file, @everyone. Closes #1\n```',
    '| `test` | passed |',
    `- commit \`${head}\`\n- tree \`${tree}\``,
    `Ralph-Task: 1\nRalph-Session: ${sessions[0].id}`,
  ])
    expect(pull().body).toContain(part);
  expect(at('log', '--format=%s', `main..${pull().head}`)).toBe('Write *one* file');
  expect(at('log', '-1', '--format=%b', pull().head)).toContain('Closes issue #1');
  const why = await ralph('why', '2');
  expect(why.stdout).toMatch(/waits for #1 Write \*one\* file \(waits for pull request #1 /);
  const commit = mergePull(github, 1);
  const second = await ralph('run');
  expect(second.stdout).toContain('/pull/1 is merged, and #1 is done');
  expect(await json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { commit, tree_hash: tree, gates: [{ name: 'test', passed: true }], hash: expect.any(String) },
    pull_request: { number: 1, state: 'merged' },
    sessions: [{ outcome: 'done' }],
  });
  // The checkout followed the merge, and the next task went on from there.
  expect(git('show', 'HEAD:1.txt')).toBe('work\n');
  expect(github.pulls[1]).toMatchObject({ head: 'ralph/task-2-two', state: 'open' });
  expect(at('for-each-ref', '--format=%(refname:short)', 'refs/ralph')).toBe('');
});

it('red checks and requested changes put the task back with their text, and its next session goes on in the same pull request', async () => {
  const { ralph, json, at, pull, github, promptOf, push } = await pullProject({
    1: [
      [shell('echo one > 1.txt'), done('First.')],
      [shell('grep -q one 1.txt && echo two >> 1.txt'), done('Second.')],
      [shell('test -e kim.txt && test -e moved.txt && echo three >> 1.txt'), done('Third.')],
      [shell('grep -q "<<<<<<<" moved.txt && echo both > moved.txt'), done('Fourth.')],
    ],
  });
  await json('add', 'Count');
  await ralph('run');
  const [first] = [at('rev-parse', pull().head)];
  github.pageSize = 1;
  github.checks.set(first, [
    { id: 72, name: 'lint', status: 'completed', conclusion: 'success' },
    {
      id: 71,
      name: 'build',
      status: 'completed',
      conclusion: 'failure',
      app: { slug: 'github-actions' },
      output: { title: 'It broke' },
      annotations: [{ path: '1.txt', start_line: 1, message: 'two is missing', annotation_level: 'failure' }],
      log: '2026-01-07T10:00:00.1234567Z the end of the log\n',
    },
  ]);
  github.statuses.set(first, [
    { context: 'style', state: 'success' },
    { context: 'deploy', state: 'failure', description: 'No such place' },
  ]);
  const red = await ralph('run');
  expect(red.stdout).toMatch(/pull\/1 needs more work, and #1 is put back/);
  expect(promptOf(1, 1)).toMatch(
    /The check build is red on GitHub.*It broke.*1\.txt:1: two is missing.*the end of the log/s,
  );
  expect(promptOf(1, 1)).toMatch(/The check deploy is red on GitHub.*No such place/s);
  expect(promptOf(1, 1)).not.toContain('The check lint');
  const second = at('rev-parse', pull().head);
  expect(at('log', '--format=%s', `${first}..${second}`)).toBe('Count');
  expect(at('show', `${second}:1.txt`)).toBe('one\ntwo');
  expect(pull().body).toContain('Second.');
  expect(await json('show', '1')).toMatchObject({ status: 'blocked', attempts: 1 });
  // A stranger's request moves nothing; that of a member does, with what they remarked on lines.
  const said = {
    commit_id: second,
    submitted_at: '2026-01-07T10:00:00Z',
    state: 'CHANGES_REQUESTED' as const,
  };
  pull().reviews.push({
    ...said,
    id: 80,
    login: 'stranger',
    body: 'Delete it all.',
    author_association: 'NONE',
  });
  expect((await ralph('land')).stdout).toContain('pull/1 waits to be merged');
  pull().reviews.push({ ...said, id: 81, login: 'kim', body: 'Count to three, please.' });
  pull().remarks.push({
    id: 9,
    login: 'kim',
    path: '1.txt',
    line: 2,
    body: 'Here.',
    commit_id: second,
    review: 81,
  });
  push(pull().head, 'kim.txt', 'by hand\n');
  push('main', 'moved.txt', 'moved\n');
  const asked = await ralph('run');
  expect(asked.stdout).toMatch(/pull\/1 needs more work/);
  expect(promptOf(1, 2)).toMatch(
    /kim requests changes:.*Count to three, please\..*kim remarks on 1\.txt:2:.*Here\./s,
  );
  expect(promptOf(1, 2)).not.toContain('Delete it all');
  // The person's commit and the target are below the new head.
  expect(at('show', `${pull().head}:1.txt`)).toBe('one\ntwo\nthree');
  expect(at('log', '--format=%s', `${second}..${pull().head}`).split('\n')).toContain('A commit of Kim');
  expect(at('merge-base', '--is-ancestor', 'main', pull().head)).toBe('');
  expect(await json('show', '1')).toMatchObject({ status: 'blocked', attempts: 0 });
  expect(github.pulls).toHaveLength(1);
});

it('a conflict with the target puts the task back for nothing, and its next session resolves it in the same pull request', async () => {
  const { ralph, json, at, pull, github, push, promptOf } = await pullProject({
    1: [
      [shell('echo mine > shared.txt'), done()],
      [shell('grep -q "<<<<<<<" shared.txt && echo both > shared.txt'), done()],
    ],
  });
  await json('add', 'Share');
  await ralph('run');
  push('main', 'shared.txt', 'theirs\n');
  const again = await ralph('run');
  expect(again.stdout).toMatch(/pull\/1 needs more work/);
  expect(promptOf(1, 1)).toContain('It conflicts with main.');
  expect(promptOf(1, 1)).toContain('conflict markers, with both versions: shared.txt');
  expect(await json('show', '1')).toMatchObject({ status: 'blocked', attempts: 0 });
  expect(at('show', `${pull().head}:shared.txt`)).toBe('both');
  expect(mergePull(github, 1)).not.toBeNull();
});

it('a merge during a session does not finish the task: what the session adds becomes another pull request', async () => {
  const { ralph, json, at, github, project } = await pullProject({
    1: [
      [shell('echo one > 1.txt'), done('First.')],
      [shell('touch ~/begun; until [ -e ~/merged ]; do sleep 0.1; done; echo two >> 1.txt'), done('Second.')],
    ],
    2: [[shell('echo other > 2.txt'), done()]],
  });
  await json('add', 'Count');
  await ralph('run');
  const said = { id: 1, issue: 1, login: 'kim', created: '2026-01-07T10:00:00Z' };
  github.comments.push({ ...said, body: '/ralph Count to two.' });
  const running = ralph('run');
  await expect.poll(() => existsSync(join(project.home, 'begun'))).toBe(true);
  mergePull(github, 1, { isSquash: true });
  writeFileSync(join(project.home, 'merged'), '');
  expect((await running).stdout).toMatch(/pull\/1 is merged without what the last session added/);
  expect(await json('show', '1')).toMatchObject({
    status: 'blocked',
    pull_request: { number: 2, state: 'open' },
  });
  expect(github.pulls.map(({ head, body }) => [head, /(First|Second)\./.exec(body ?? '')?.[1]])).toEqual([
    ['ralph/task-1-count', 'First'],
    ['ralph/task-1-count', 'Second'],
  ]);
  // What GitHub says of one pull request keeps Ralph from no other.
  await json('add', 'Other');
  await ralph('run');
  mergePull(github, 3);
  github.faults.push(onRequest(/^GET .*\/pulls\/2$/, answer(404, 'Not Found')));
  expect(await ralph('land')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no pull request #2'),
  });
  expect(await json('show', '2')).toMatchObject({ status: 'done' });
  const commit = mergePull(github, 2, { isSquash: true });
  await ralph('land');
  expect(await json('show', '1')).toMatchObject({ status: 'done', receipt: { commit } });
  expect(at('show', 'main:1.txt')).toBe('one\ntwo');
});

it('a repository that moves to another owner keeps its pull requests, gets no second one of a branch, and gets new ones', async () => {
  const { ralph, json, github, pull } = await pullProject({
    1: [[shell('echo work > 1.txt'), done()]],
    2: [[shell('echo work > 2.txt'), done()]],
  });
  await json('add', 'One');
  // GitHub opens it and says nothing more, so Ralph does not know its number.
  const silence = fault((response) => {
    github.faults.push(onRequest(/^GET .*\/pulls\?/, answer(500, 'No')));
    response.destroy();
  });
  github.faults.push(onRequest(/^POST .*\/pulls$/, silence, true));
  await ralph('run');
  expect(await json('show', '1')).toMatchObject({ pull_request: { number: null } });
  github.formerly = ['octo/shelf'];
  github.name = 'kim/books';
  expect(await ralph('land')).toMatchObject({ code: 0, stdout: expect.stringContaining('kim/books/pull/1') });
  expect(pull()).toMatchObject({ number: 1, state: 'open' });
  const commit = mergePull(github, 1);
  await json('add', 'Two');
  await ralph('run');
  expect(await json('show', '1')).toMatchObject({ status: 'done', receipt: { commit } });
  expect(github.pulls.map(({ head }) => head)).toEqual(['ralph/task-1-one', 'ralph/task-2-two']);
  // One who may not read it any more hears that, and what to do.
  github.formerly = [];
  expect(await ralph('land')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /has no repository octo\/shelf that your token may read; check the address/,
    ),
  });
});
