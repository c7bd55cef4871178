// One pull request for a feature: real git, a bare repository, and a GitHub that is held to the published API.
import { expect, it } from 'vitest';
import { mergePull } from '../../support/github.ts';
import { pullProject } from '../../support/pull-requests.ts';
import { done, shell } from '../../support/scripted-agent.ts';

it('the tasks of a feature add to one pull request, each from the work before it, and its merge settles all of them', async () => {
  const { ralph, json, at, github, promptOf } = await pullProject(
    {
      1: [
        [shell('echo one > 1.txt'), done('First.')],
        [shell('grep -q one 1.txt && test -e 2.txt && echo more >> 1.txt'), done('First again.')],
      ],
      2: [[shell('test -e 1.txt && echo two > 2.txt'), done('Second.')]],
      3: [[shell('test -e 1.txt && exit 1; echo three > 3.txt'), done('Third.')]],
      4: [[shell('test -e 1.txt && test -e 3.txt && echo four > 4.txt'), done()]],
    },
    { per: 'feature', gate: 'test ! -e 2.txt || test -e 1.txt' },
  );
  await json('feature', 'add', 'search', '--display-name', 'Full search, closes #9');
  await json('add', 'Index', '--feature', 'search');
  await json('add', 'Query', '--feature', 'search', '--depends-on', '1');
  await json('add', 'Alone');
  await json('add', 'After', '--depends-on', '1,3');
  const first = await ralph('run');
  expect(first).toMatchObject({ code: 10 });
  expect(first.stderr + first.stdout).toMatch(/2 pull requests to be merged/);
  expect(github.pulls.map(({ head, title }) => [head, title])).toEqual([
    ['ralph/feature-search', 'Full search, closes issue #9'],
    ['ralph/task-3-alone', 'Alone'],
  ]);
  const [feature, alone] = github.pulls;
  if (feature === undefined || alone === undefined) throw new Error('no pull request');
  // A commit for each task, whose tree the gates judged, and a receipt for each.
  const heads = at('log', '--format=%H', 'main..ralph/feature-search').split('\n').reverse();
  expect(at('log', '--format=%s', 'main..ralph/feature-search')).toBe('Query\nIndex');
  for (const [index, summary] of ['First.', 'Second.'].entries()) {
    expect(feature.body).toContain(`## Task ${index + 1}`);
    expect(feature.body).toContain(summary);
    expect(feature.body).toContain(`- commit \`${heads[index]}\``);
    expect(feature.body).toContain(`- tree \`${at('rev-parse', `${heads[index]}^{tree}`)}\``);
  }
  expect(feature.body).toContain('no task of it was left');
  // Its text is written once for each push.
  github.asked = [];
  await ralph('land');
  expect(github.asked.filter((asked) => asked.startsWith('PATCH'))).toEqual([]);
  expect((await ralph('why', '4')).stdout).toMatch(/waits for #1 Index \(waits for pull request #1 /);
  for (const id of ['1', '2'])
    expect(await json('show', id)).toMatchObject({
      status: 'blocked',
      pull_request: { number: 1, feature: 'search' },
    });

  // A remark on a file puts back the task that changed it, although another one pushed last.
  const said = { commit_id: heads[1] ?? '', login: 'kim' };
  const submitted_at = '2026-01-07T10:00:00Z';
  feature.reviews.push({ ...said, id: 81, state: 'CHANGES_REQUESTED', body: 'More.', submitted_at });
  feature.remarks.push({ ...said, id: 9, path: '1.txt', line: 1, body: 'Here.', review: 81 });
  expect((await ralph('run')).stdout).toMatch(/pull\/1 needs more work, and #1 is put back/);
  expect(promptOf(1, 1)).toMatch(/of the feature of this task was not merged.*kim remarks on 1\.txt:1/s);
  expect(at('show', 'ralph/feature-search:1.txt')).toBe('one\nmore');
  expect(feature.body).toContain('First again.');
  expect(feature.body).toContain('Second.');

  const commit = mergePull(github, 1);
  expect(commit).not.toBeNull();
  mergePull(github, 2);
  const last = await ralph('run');
  for (const id of [1, 2]) expect(last.stdout).toContain(`/pull/1 is merged, and #${id} is done`);
  expect(await json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { commit, summary: 'First again.' },
  });
  expect(await json('show', '2')).toMatchObject({
    status: 'done',
    receipt: { commit, tree_hash: at('rev-parse', `${heads[1]}^{tree}`), summary: 'Second.' },
  });
  expect(github.pulls[2]).toMatchObject({ head: 'ralph/task-4-after', state: 'open' });
});

it('a merge settles what a person reworded, changed or squashed, and not a commit that they removed from the branch', async () => {
  const work = (id: number) => [[shell(`echo ${id} > ${id}.txt`), done()]];
  const { ralph, json, at, inClone, github } = await pullProject(
    { 1: work(1), 2: work(2), 3: work(3), 4: work(4) },
    { per: 'feature' },
  );
  await json('feature', 'add', 'search');
  for (const title of ['Remove me', 'Reword me', 'Change me'])
    await json('add', title, '--feature', 'search');
  await json('add', 'Squash me');
  await ralph('run');
  expect(github.pulls).toHaveLength(2);
  const branch = 'ralph/feature-search';
  const [, second, third] = at('log', '--reverse', '--format=%H', `main..${branch}`).split('\n');
  // The second loses its trailers; the third keeps them, and is another change.
  inClone(
    branch,
    `git reset -q --hard origin/main
     git cherry-pick ${second}; git commit -q --amend -m Reworded
     git cherry-pick ${third}; echo kim >> 3.txt; git commit -qa --amend --no-edit
     git push -qf`,
  );
  expect(mergePull(github, 1)).not.toBeNull();
  // The branch is gone after the merge.
  inClone('ralph/task-4-squash-me', 'git commit -q --amend -m Mine; git push -qf');
  mergePull(github, 2, { isSquash: true });
  at('update-ref', '-d', 'refs/heads/ralph/task-4-squash-me');
  const landed = await ralph('land');
  expect(landed.stdout).toContain('is merged without the work of #1, which asks what to do: ralph why 1');
  for (const [id, status] of Object.entries({ 1: 'needs_input', 2: 'done', 3: 'done', 4: 'done' }))
    expect([id, (await json('show', id))['status']]).toEqual([id, status]);
});

it('a pull request that was closed, opened again and merged settles its task, and Ralph asks nothing any more', async () => {
  const { ralph, json, github, pull } = await pullProject({ 1: [[shell('echo 1 > 1.txt'), done()]] });
  await json('add', 'One');
  await ralph('run');
  pull().state = 'closed';
  expect((await ralph('land')).stdout).toMatch(/was closed without a merge, and #1 asks/);
  // As long as it stays closed, there is nothing to tell.
  expect((await ralph('land')).stdout).not.toContain('pull/1');
  pull().state = 'open';
  expect((await ralph('land')).stdout).toMatch(/pull\/1 is open again/);
  expect(await json('show', '1')).toMatchObject({
    status: 'blocked',
    questions: [{ dismissed: expect.any(Number) }],
  });
  pull().state = 'closed';
  await ralph('land');
  expect(await json('show', '1')).toMatchObject({ status: 'needs_input' });
  pull().state = 'open';
  const commit = mergePull(github, 1);
  expect((await ralph('run')).stdout).toMatch(/pull\/1 is merged, and #1 is done/);
  expect(await json('show', '1')).toMatchObject({ status: 'done', receipt: { commit } });
  expect(await json('status')).toMatchObject({ questions: [] });
});
