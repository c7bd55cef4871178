import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, runWithin, type TestProject } from '../../../support/ralph.ts';

const FEATURES = `# Our features
features:
  - name: auth # ticket 12
    description: 'Sign-in'

  # Money
  - name: billing
    dependencies: [auth]
`;
const TASKS = `tasks:
  # First of all
  - id: 1
    title: Lay the ground # quick
    feature: auth
    discipline: backend
  - title: Build on it
    depends_on: [1]
`;

const file = ({ root }: TestProject, name: string): string => join(root, '.ralph', name);
const read = (project: TestProject, name: string): string => readFileSync(file(project, name), 'utf8');

async function defined(): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(file(project, 'features.yaml'), FEATURES);
  writeFileSync(file(project, 'tasks.yaml'), TASKS);
  return project;
}

it('a person adds, changes, shows and removes a feature on the command line', async () => {
  const project = await initialised();
  const added = await project.within(
    'feature',
    'add',
    'search',
    '--knowledge',
    'a.md',
    '--knowledge',
    'b.md',
  );
  expect(added.stdout).toBe('Added feature search.\n');
  await project.json(
    'feature',
    'edit',
    'search',
    '--priority',
    '2',
    '--knowledge',
    '',
    '--description',
    'Find',
  );
  expect(await project.json('feature', 'show', 'search')).toMatchObject({
    priority: 2,
    knowledge_paths: [],
    description: 'Find',
    tasks: [],
  });
  await project.json('add', 'Index titles', '--feature', 'search');
  expect((await project.within('feature', 'list')).stdout).toContain('search  active         2   0/1');
  expect((await project.within('feature', 'remove', 'search')).stderr).toBe(
    'ralph: Task 1 belongs to feature "search"; give it another feature first, or keep this one out of use: ralph feature edit "search" --status deprecated.\n',
  );
  await project.json('remove', '1');
  await project.json('feature', 'remove', 'search');
  expect(await project.json('feature', 'list')).toEqual([]);
  for (const [words, code, message] of [
    [['add', 'a/b'], 1, 'The "name" is not a name'],
    [['add', 'x', '--priority', 'soon'], 1, 'The "priority" is neither a whole number'],
    [
      ['edit', 'serach', '--description', 'x'],
      1,
      'There is no feature "serach"; ralph feature list shows all features.',
    ],
    [['show'], 2, 'Name the feature'],
    [['list', '--priority', '1'], 2, 'changes no field'],
  ] as const) {
    const { stderr, ...ran } = await project.within('feature', ...words);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(stderr).toContain(message);
  }
});

it('what a file defines is changed in the file after a question, and its comments and order stay', async () => {
  const project = await defined();
  const { root: cwd, home } = project;
  expect((await project.within('feature', 'edit', 'auth', '--description', 'x')).stderr).toBe(
    'ralph: .ralph/features.yaml defines feature auth; change it there, or let Ralph do that with --yes.\n',
  );
  const questions: string[] = [];
  const edit = (answer: string) =>
    runWithin(['feature', 'edit', 'auth', '--description', 'Log in', '--acronym', 'AU'], {
      cwd,
      env: { HOME: home },
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
    });
  expect((await edit('n')).stderr).toBe('ralph: Nothing was changed.\n');
  expect(read(project, 'features.yaml')).toBe(FEATURES);
  expect((await edit('')).stdout).toBe('Changed feature auth. Changed .ralph/features.yaml.\n');
  expect(questions[0]).toBe('.ralph/features.yaml defines feature auth. Change it there? [Y/n] ');
  expect(read(project, 'features.yaml')).toBe(
    FEATURES.replace("description: 'Sign-in'", "description: 'Log in'\n    acronym: AU"),
  );
  expect(await project.json('feature', 'show', 'auth')).toMatchObject({
    description: 'Log in',
    acronym: 'AU',
  });
  await project.json('edit', '2', '--title', 'Build upon it', '--yes');
  expect(read(project, 'tasks.yaml')).toBe(
    TASKS.replace(
      '- title: Build on it\n    depends_on: [1]',
      '- title: Build upon it\n    depends_on: [1]\n    id: 2',
    ),
  );
  expect(await project.json('list')).toMatchObject([{ id: 1 }, { id: 2, title: 'Build upon it' }]);
});

it('an edit of a file keeps what somebody saved meanwhile, and leaves a half-saved file alone', async () => {
  const project = await defined();
  const edit = (description: string, saved: string) =>
    runWithin(['feature', 'edit', 'auth', '--description', description], {
      cwd: project.root,
      env: { HOME: project.home, PATH: process.env['PATH'] },
      ask: async () => {
        writeFileSync(file(project, 'features.yaml'), saved);
        return 'y';
      },
    });
  const saved = FEATURES.replace('# Money', '# Invoices');
  expect(await edit('Log in', saved)).toMatchObject({ code: 0 });
  expect(read(project, 'features.yaml')).toBe(saved.replace('Sign-in', 'Log in'));
  const half = `${FEATURES}  - name: "sea`;
  expect(await edit('Log on', half)).toMatchObject({
    code: 1,
    stderr:
      'ralph: .ralph/features.yaml changed meanwhile and is no YAML now; save it as a whole, then repeat the command.\n',
  });
  expect(read(project, 'features.yaml')).toBe(half);
});

it('a removal goes through the files, too, and leaves them as they were if it is refused', async () => {
  const project = await defined();
  expect((await project.within('remove', '1', '--yes')).stderr).toContain('Task 2 would lose a dependency');
  expect((await project.within('feature', 'remove', 'auth', '--yes')).stderr).toContain(
    'Feature "billing" depends on "auth"',
  );
  // The file would close a cycle of dependencies.
  await project.json('add', 'Third', '--depends-on', '2');
  expect((await project.within('remove', '1', '--replace-with', '3', '--yes')).stderr).toContain('cycle');
  expect([read(project, 'tasks.yaml'), read(project, 'features.yaml')]).toEqual([TASKS, FEATURES]);
  expect(await project.json('list')).toMatchObject([{ id: 1 }, { id: 2, depends_on: [1] }, { id: 3 }]);

  await project.json('add', 'Ground from elsewhere');
  expect((await project.within('remove', '1', '--replace-with', '4', '--yes')).stdout).toBe(
    'Removed #1 Lay the ground. Changed .ralph/tasks.yaml.\n',
  );
  expect(read(project, 'tasks.yaml')).toContain('- title: Build on it\n    depends_on: [4]\n');
  expect(await project.json('list')).toMatchObject([{ id: 2, depends_on: [4] }, { id: 3 }, { id: 4 }]);
  await project.json('feature', 'remove', 'billing', '--yes');
  expect(read(project, 'features.yaml')).toBe(FEATURES.slice(0, FEATURES.indexOf('\n  # Money')));
});

it('a removed discipline is replaced in tasks and files', async () => {
  const project = await defined();
  const words = [
    '--skill',
    'SQL',
    '--system-prompt',
    'You know data.',
    '--effort',
    'high',
    '--acronym',
    'DA',
  ];
  await project.json('discipline', 'add', 'data', ...words);
  expect((await project.within('discipline', 'remove', 'backend', '--yes')).stderr).toBe(
    'ralph: Task 1 has the discipline "backend"; give it another: ralph discipline remove "backend" --replace-with NAME.\n',
  );
  await project.json('add', 'Typed in', '--discipline', 'backend');
  await project.json('discipline', 'remove', 'backend', '--replace-with', 'data', '--yes');
  expect(read(project, 'tasks.yaml')).toBe(TASKS.replace('discipline: backend', 'discipline: data'));
  for (const id of ['1', '3']) expect(await project.json('show', id)).toMatchObject({ discipline: 'data' });
  expect(await project.json('discipline', 'list')).toMatchObject([
    { name: 'data', skills: ['SQL'], effort: 'high' },
  ]);
  expect((await project.within('discipline')).stdout).toContain('data (DA)  -      -      high    SQL');
  await project.json('discipline', 'edit', 'data', '--effort', '', '--yes');
  expect(await project.json('discipline', 'show', 'data')).toMatchObject({ effort: null });
});

it('an agent in a session can neither remove a task nor change a feature or discipline', async () => {
  const project = await defined();
  await project.json('list');
  const env = { HOME: project.home, RALPH_SESSION_ID: 'a-session' };
  for (const words of [
    ['remove', '1'],
    ['feature', 'add', 'mine'],
    ['feature', 'remove', 'billing', '--yes'],
    ['discipline', 'edit', 'backend', '--model', 'opus'],
  ]) {
    const { code, stderr } = await runWithin(words, { cwd: project.root, env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('This is a session of an agent, and only a person'),
    ]);
  }
  expect(read(project, 'features.yaml')).toBe(FEATURES);
});
