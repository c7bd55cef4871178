// ralph import github:OWNER/REPO against a GitHub on loopback: what comes in, what a second import changes, and what is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, type FakeGithub, type FakeIssue, fakeGithub, fault } from '../../../support/github.ts';
import { initialised, type Ran, runWithin, type TestProject } from '../../../support/ralph.ts';

type Shelf = { fake: FakeGithub; project: TestProject; import: (...args: string[]) => Promise<Ran> };

async function shelfWith(issues: FakeIssue[], isTrusted = true): Promise<Shelf> {
  const [fake, project] = [await fakeGithub(issues), await initialised()];
  writeFileSync(join(project.root, '.ralph/config.yaml'), `github: { api: "${fake.api}" }\n`);
  if (isTrusted) await project.json('trust', '--yes');
  const env = { HOME: project.home, PATH: process.env['PATH'], GH_ENTERPRISE_TOKEN: fake.token ?? '' };
  return {
    fake,
    project,
    import: (...args) => runWithin(['import', 'github:octo/shelf', ...args], { cwd: project.root, env }),
  };
}

const issue = (number: number, more: Partial<FakeIssue> = {}): FakeIssue => ({
  number,
  title: `Issue ${number}`,
  ...more,
});

/** Every twentieth has a part, every tenth waits for the one before it, every third has a task list. */
const manyIssues = (count: number): FakeIssue[] =>
  Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return issue(number, {
      labels: number % 4 === 0 ? ['P1', 'api'] : ['priority: low'],
      ...(number % 3 === 0 && { body: 'Why.\n\n## Tasks\n\n- [ ] One\n- [x] Two\n' }),
      ...(number % 10 === 5 && { blockedBy: [number - 1] }),
      ...(number % 20 === 1 && number > 1 && { parent: number - 1 }),
    });
  });

it('300 issues come in over several pages with links, criteria and labels, and again nothing changes', async () => {
  const {
    fake,
    project,
    import: bring,
  } = await shelfWith([
    ...manyIssues(300),
    issue(301, { pull_request: {} }),
    issue(302, { state: 'closed' }),
  ]);
  fake.namesParents = false;
  const first = await bring('--json');
  expect(JSON.parse(first.stdout)).toMatchObject({
    format: 'github',
    board: `${new URL(fake.api).host}/octo/shelf`,
    added: 300,
    problems: ['Left out: 1 pull request.'],
  });
  expect(fake.asked.filter((path) => path.includes('/issues?'))).toHaveLength(4);
  const tasks = (await project.json('list')) as { id: number; tags: string[]; priority: string }[];
  expect(tasks).toHaveLength(300);
  expect(tasks.filter(({ priority }) => priority === 'high')).toHaveLength(75);
  expect(await project.json('show', '15')).toMatchObject({
    title: 'Issue 15',
    description: 'Why.',
    acceptance_criteria: ['One', 'Two'],
    depends_on: [14],
    priority: 'low',
    references: [{ source: 'github', id: '15' }],
  });
  expect(await project.json('show', '21')).toMatchObject({ parent: 20 });
  const again = await bring();
  expect(again.stdout).toMatch(
    /^Imported octo\/shelf as github .*: nothing has changed in its 300 tasks\.\n/,
  );
  expect(`${first.stdout}${again.stdout}${again.stderr}`).not.toContain(fake.token);
});

it('an issue that was closed is skipped here, and is asked for only once', async () => {
  const { fake, project, import: bring } = await shelfWith([issue(1), issue(2, { parent: 1 }), issue(3)]);
  await bring();
  fake.issues = [
    issue(1, { state: 'closed', state_reason: 'not_planned' }),
    issue(2, { parent: 1, title: 'Another title' }),
  ];
  const { stdout } = await bring();
  expect(stdout).toMatch(/0 tasks added, 2 changed, 0 unchanged/);
  expect(stdout).toContain('No longer in the file, but still in the queue: #3');
  expect(await project.json('show', '1')).toMatchObject({ status: 'skipped' });
  expect(await project.json('show', '2')).toMatchObject({ title: 'Another title', parent: 1 });
  fake.asked = [];
  const third = await bring();
  expect(third.stdout).toContain('nothing has changed in its 1 task.');
  expect(third.stdout).toMatch(/still in the queue: #3\n/);
  expect(fake.asked).not.toContain('GET /repos/octo/shelf/issues/1');
  fake.issues = [issue(1), issue(2, { parent: 1, title: 'Another title' })];
  expect((await bring()).stdout).toContain('1 changed');
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending' });
});

it('--label chooses issues, and those of earlier imports are still followed', async () => {
  const {
    fake,
    project,
    import: bring,
  } = await shelfWith([issue(1, { labels: ['ready'], blockedBy: [2] }), issue(2)]);
  const first = await bring('--label', 'ready');
  expect(first.stdout).toContain('1 task added');
  expect(first.stdout).toContain('1 depends on 2, which does not exist; that link was left out.');
  fake.issues = [issue(1, { title: 'Renamed' }), issue(2, { labels: ['ready'] })];
  expect((await bring('--label', 'ready')).stdout).toContain('1 task added, 1 changed');
  expect(await project.json('show', '1')).toMatchObject({ title: 'Renamed' });
});

it('a repository that moved keeps its tasks, under its old name and under its new one', async () => {
  const { fake, project, import: bring } = await shelfWith([issue(1), issue(2)]);
  await bring();
  fake.formerly = ['octo/shelf'];
  fake.name = 'kim/books';
  const moved = await bring();
  expect(moved.stderr).toBe('ralph: octo/shelf has moved to kim/books.\n');
  expect(moved.stdout).toContain('nothing has changed in its 2 tasks');
  const env = { HOME: project.home, PATH: process.env['PATH'], GH_ENTERPRISE_TOKEN: fake.token ?? '' };
  const renamed = await runWithin(['import', 'github:Kim/Books'], { cwd: project.root, env });
  expect(renamed.stdout).toContain('nothing has changed in its 2 tasks');
});

it('hostile issues come in bounded and masked, and no link closes a cycle', async () => {
  const {
    fake,
    project,
    import: bring,
  } = await shelfWith([
    issue(1, { body: `a\0b ${'x'.repeat(300_000)}`, blockedBy: [2], parent: 2 }),
    issue(2, {
      title: '\u001b[2J<script>',
      body: '---\nNot front matter\n---\n- [ ] It holds',
      blockedBy: [1],
      parent: 1,
    }),
    issue(3, { body: null, labels: ['constructor'], blockedBy: [3], comments: 4, user: null }),
    { number: 1.5, title: 'No number' },
    { number: 4, title: 'No links', sub_issues_summary: 'x', labels: null },
  ]);
  fake.isHostile = true;
  fake.issues[3] = { ...fake.issues[3], number: 'x' } as never;
  fake.issues[0] = issue(1, { ...fake.issues[0], title: `The token is ${fake.token}` });
  const { code, stdout } = await bring('--json');
  expect(code).toBe(0);
  const { problems, added } = JSON.parse(stdout) as { problems: string[]; added: number };
  expect(added).toBe(4);
  expect(problems.join('\n')).toMatch(/#1 has more than 200000 characters/);
  expect(problems.join('\n')).toMatch(/closes the cycle/);
  expect(problems.join('\n')).toMatch(
    /Left out: 4 comments on issues, 1 issue without a number or a title\./,
  );
  expect(await project.json('show', '1')).toMatchObject({ title: 'The token is ***' });
  expect(await project.json('show', '2')).toMatchObject({
    description: '---\nNot front matter\n---',
    acceptance_criteria: ['It holds'],
  });
  expect((await bring()).stdout).toContain('nothing has changed in its 4 tasks');
});

it('what GitHub refuses is refused with one sentence, and nothing is imported', async () => {
  const { fake, project, import: bring } = await shelfWith([issue(1)]);
  const refuses = async (sentence: string | RegExp): Promise<void> => {
    const { code, stdout, stderr } = await bring();
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
  };
  fake.faults = [answer(401, 'Bad credentials')];
  await refuses(/does not accept the token of GH_ENTERPRISE_TOKEN; renew it/);
  fake.faults = [answer(404, 'Not Found')];
  await refuses(
    /has no repository octo\/shelf that you may read; check its name and what your token may read/,
  );
  fake.faults = [
    fault((response) => void response.end(JSON.stringify({ full_name: 'octo/shelf', url: 'x' }))),
    answer(410, 'Issues are disabled'),
  ];
  await refuses(/octo\/shelf has no issues: they are turned off there/);
  expect(await project.json('list')).toEqual([]);
  const { code, stderr } = await project.within('import', 'github:../etc');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('write github:OWNER/REPO') });
  expect(await project.within('import', 'x.md', '--label', 'y')).toMatchObject({ code: 2 });
});

it('a server that a clone names gets no request before a person trusts it', async () => {
  const { fake, project, import: bring } = await shelfWith([issue(1)], false);
  expect((await bring()).stderr).toMatch(
    /as GitHub, and you have not trusted that yet; look at it with: ralph trust/,
  );
  expect(fake.asked).toEqual([]);
  expect((await project.within('trust', '--yes')).stdout).toContain(`issues are read from ${fake.api}`);
  expect((await bring()).stdout).toContain('1 task added');
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'github: { api: "http://git.example.com" }\n');
  expect((await bring()).stderr).toContain('does not begin with https://');
});
