import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findExecutable } from '../../../../src/host/processes/find-executable.ts';
import { readConfig } from '../../../../src/project/read-config.ts';
import { IMPORT_FOLDER } from '../../../support/import-files.ts';
import { commitNothing, runWithin, type TestProject, testProject } from '../../../support/ralph.ts';

const PACKAGE = JSON.stringify({
  name: 'webshop',
  main: 'index.js',
  scripts: { typecheck: 'tsc', lint: 'eslint .', test: 'vitest run' },
  devDependencies: { vitest: '3' },
});

function library(files: Record<string, string> = { 'package.json': PACKAGE }): TestProject {
  const project = testProject();
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project.root, file), text);
  return project;
}

/** Answers in turn; the questions are kept. */
async function initAt(
  { root, home }: TestProject,
  answers: readonly string[],
  { args = [], cwd = root, env = {} }: { args?: string[]; cwd?: string; env?: Record<string, string> } = {},
) {
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    questions.push(question);
    const answer = answers[questions.length - 1];
    if (answer === undefined) throw new Error(`Nobody answers: ${question}`);
    return answer;
  };
  const options = {
    cwd,
    env: { HOME: home, PATH: process.env['PATH'], ...env },
    ...(answers.length > 0 && { ask }),
  };
  return { ...(await runWithin(['init', ...args], options)), questions };
}

const gatesIn = ({ root }: TestProject): string[] =>
  [...readFileSync(join(root, '.ralph/config.yaml'), 'utf8').matchAll(/^ {4}command: (.*)$/gm)].map(
    ([, command]) => command ?? '',
  );

it('ralph init lets a person choose gates by number, and says what agents may do', async () => {
  const project = library();
  const { code, questions, stdout } = await initAt(project, ['4', '1, 3']);
  expect(code).toBe(0);
  expect(questions[0]).toContain('  1  npm run typecheck\n  2  npm run lint  (advisory)\n  3  npm test\n');
  expect(questions[0]).toContain(
    'Agents run with bypassPermissions: they edit files and run commands as you',
  );
  expect(questions[1]).toBe('Type Enter, numbers from 1 to 3, 0 for none, or n: ');
  expect(gatesIn(project)).toEqual(['npm run typecheck', 'npm test']);
  expect(stdout).toContain(
    '2 gates: npm run typecheck · npm test\n2 disciplines: library, testing\nAgents run with bypassPermissions',
  );
  expect(await project.json('doctor').catch((error: Error) => error.message)).not.toContain(
    'may not run yet',
  );
});

it('ralph init takes one key for no gate, for all gates, or to stop', async () => {
  const [none, all, nothing] = [library(), library(), library()];
  expect((await initAt(none, ['0'])).stdout).toContain('No gate, so every done is believed');
  expect(gatesIn(none)).toEqual([]);
  await initAt(all, ['']);
  expect(gatesIn(all)).toHaveLength(3);
  expect(await initAt(nothing, ['n'])).toMatchObject({ code: 1, stderr: 'ralph: Nothing was written.\n' });
  expect(existsSync(join(nothing.root, '.ralph'))).toBe(false);
});

it('ralph init names what a first run lacks: the client, its login, tools of gates, dependencies', async () => {
  const project = library({ 'package.json': PACKAGE, 'pnpm-lock.yaml': '' });
  const bare = { env: { PATH: '/usr/bin/none' }, args: ['--yes'] };
  expect((await initAt(project, [], bare)).stdout).toContain(
    [
      'Missing:',
      '  Claude Code is not installed: npm install -g @anthropic-ai/claude-code',
      '  pnpm is not installed: npm install -g pnpm',
      '  The dependencies are not installed: pnpm install',
      '',
    ].join('\n'),
  );
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  for (const name of ['claude', 'pnpm']) {
    writeFileSync(join(bin, name), '#!/bin/sh\nexit 1\n');
    chmodSync(join(bin, name), 0o755);
  }
  mkdirSync(join(project.root, 'node_modules'));
  const again = await initAt(project, [], { env: { PATH: bin }, args: ['--yes'] });
  if (process.platform !== 'darwin')
    expect(again.stdout).toBe(
      'Ralph is set up here already; nothing was changed.\nMissing:\n  Claude Code is not logged in: start claude and type /login, or set ANTHROPIC_API_KEY\n',
    );
  // What a shell makes of the first word is no program that somebody could install.
  const gates = ['cd . && pnpm test', 'FOO=1 pnpm test'].map((command, index) => ({
    name: `g${index}`,
    command,
  }));
  writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ gates }));
  const env = { PATH: bin, ANTHROPIC_API_KEY: 'dummy' };
  expect((await initAt(project, [], { env, args: ['--yes'] })).stdout).not.toContain('Missing');
});

it.skipIf(findExecutable('python3', process.env['PATH']) === null)(
  'init and doctor name a Python module that a gate needs and that is not installed',
  async () => {
    const project = library({ 'setup.py': '' });
    await initAt(project, [], { args: ['--yes'] });
    const gates = [{ name: 'types', command: 'python3 -m no_such_module .' }];
    writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ gates }));
    expect((await initAt(project, [], { args: ['--yes'] })).stdout).toContain(
      '  python3 has no module no_such_module: python3 -m pip install no_such_module\n',
    );
    expect((await project.within('doctor')).stdout).toContain(
      'python3 has no module no_such_module; install it with python3 -m pip install no_such_module, or change .ralph/config.yaml.',
    );
  },
);

it('ralph init in a subfolder of a project asks before it makes a second one', async () => {
  const project = library();
  await project.json('init', '--yes');
  const cwd = join(project.root, 'packages');
  mkdirSync(cwd);
  expect(await initAt(project, [], { cwd })).toMatchObject({
    code: 1,
    stderr: `ralph: Ralph is set up in ${project.root} already; work there, or make a second project here with ralph init --yes.\n`,
  });
  const asked = await initAt(project, [''], { cwd });
  expect(asked).toMatchObject({ code: 1, stderr: 'ralph: Nothing was written.\n' });
  expect(asked.questions[0]).toContain(`Make a second project, with a queue of its own, in ${cwd}? [y/N]`);
  expect(existsSync(join(cwd, '.ralph'))).toBe(false);
  expect((await initAt(project, ['y', 'y'], { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, '.ralph/config.yaml'))).toBe(true);
  // It is a project now, and so nothing is asked any more.
  expect((await initAt(project, [], { cwd })).stdout).toContain('Ralph is set up here already');
});

/** A repository with the backlogs of other tools, and a document. */
function withBacklogs(): TestProject {
  const project = testProject();
  const copies: [string, string][] = [
    ['implementation.json', 'implementation.json'],
    ['prd.json', 'prd.json'],
    ['task-master.json', '.taskmaster/tasks/tasks.json'],
    ['beads.jsonl', '.beads/issues.jsonl'],
  ];
  for (const [from, to] of copies) {
    mkdirSync(join(project.root, to, '..'), { recursive: true });
    cpSync(join(IMPORT_FOLDER, from), join(project.root, to));
  }
  mkdirSync(join(project.root, 'specs'));
  writeFileSync(join(project.root, 'specs/orders.md'), '# Orders\n');
  return project;
}

it('ralph init names the backlogs of other tools and what to type, and imports none without a person', async () => {
  const project = withBacklogs();
  const { stdout } = await initAt(project, [], { args: ['--yes'] });
  expect(stdout).toContain(
    [
      'Found: implementation.json has 3 tasks; bring them in: ralph import implementation.json',
      '  To let the file follow the queue, add to .ralph/config.yaml: mirror: implementation.json',
      'Found: prd.json has ',
    ].join('\n'),
  );
  for (const command of ['import .taskmaster/tasks/tasks.json', 'import .beads/issues.jsonl', 'plan specs'])
    expect(stdout).toContain(`: ralph ${command}\n`);
  expect(stdout).not.toContain('Next: ralph add');
  expect(await project.json('list')).toEqual([]);
  // Once there are tasks, there is nothing to offer.
  await project.json('import', 'prd.json');
  expect((await initAt(project, [], { args: ['--yes'] })).stdout).not.toContain('Found');
});

it('ralph init on a terminal imports what the person wants, and lets implementation.json follow the queue', async () => {
  const project = withBacklogs();
  const { questions, stdout } = await initAt(project, ['', '', '', 'n', 'n', 'n']);
  expect(questions.slice(1)).toEqual([
    'implementation.json has 3 tasks. Import them? [Y/n] ',
    'Let implementation.json follow the queue? Ralph then writes it after every change. [Y/n] ',
    expect.stringMatching(/^prd\.json has .* Import them\? /),
    expect.stringMatching(/^\.taskmaster/),
    expect.stringMatching(/^\.beads/),
  ]);
  expect(stdout).toContain('Imported implementation.json as implementation: 3 tasks added');
  expect(stdout).toContain('implementation.json follows the queue from now on.');
  expect(await project.json('list')).toHaveLength(3);
  await project.json('add', 'One more');
  expect(readFileSync(join(project.root, 'implementation.json'), 'utf8')).toContain('One more');
});

it('ralph init finds the folder of Backlog.md, whose tasks are imported from all its files', async () => {
  const project = testProject();
  const tasks = readFileSync(join(IMPORT_FOLDER, 'backlog-md.md'), 'utf8').split(/^(?=---\nid)/m);
  mkdirSync(join(project.root, 'backlog/tasks'), { recursive: true });
  for (const [index, text] of tasks.entries())
    writeFileSync(join(project.root, `backlog/tasks/task-${index} - Title.md`), text);
  const { questions, stdout } = await initAt(project, ['', '']);
  expect(questions[1]).toBe('backlog has 3 tasks. Import them? [Y/n] ');
  expect(stdout).toContain('Imported backlog as backlog-md: 3 tasks added');
  expect(await project.json('import', 'backlog')).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
  expect(await project.json('show', '2')).toMatchObject({ title: 'Create the endpoint', parent: 1 });
  const outside = join(project.home, 'private.md');
  writeFileSync(outside, '---\nid: BACK-7\ntitle: Private\n---\n');
  symlinkSync(outside, join(project.root, 'backlog/tasks/task-7 - Private.md'));
  expect(await project.within('import', 'backlog')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('task-7 - Private.md is a link that leaves the project'),
  });
});

it('ralph run with an empty queue names the backlog beside it and what to type', async () => {
  const project = withBacklogs();
  await project.json('init', '--yes');
  commitNothing(project);
  const lastLine = async (): Promise<string | undefined> =>
    (await project.within('run')).stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^.*?: /, '');
  expect(await lastLine()).toBe(
    'There is no task yet, but implementation.json has 3 tasks; bring them in: ralph import implementation.json.',
  );
  writeFileSync(join(project.root, 'implementation.json'), '{');
  expect(await lastLine()).toBe(
    'There is no task yet, but implementation.json is there; bring in what it has: ralph import implementation.json.',
  );
});

it('ralph init writes how a fresh checkout gets its dependencies, and the person who wrote it trusts it', async () => {
  const project = library({ 'package.json': PACKAGE, 'package-lock.json': '{}' });
  const { stdout } = await initAt(project, [], { args: ['--yes'] });
  expect(stdout).toContain('Setup of a fresh checkout: npm ci\n');
  expect(stdout).not.toContain('ralph trust');
  expect((await readConfig(project.root)).slots).toMatchObject({
    setup: 'npm ci',
    stamp: ['package-lock.json'],
  });
});
