// Files below .ralph belong to the person. What a session makes of them waits until the person has seen it.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acceptChange, beginHold, endHold, findHeld } from '../../../src/host/definitions/accepted.ts';
import { saveProposal } from '../../../src/host/definitions/proposals.ts';
import { identify } from '../../../src/host/processes/process-identity.ts';
import { databasePath, findProject } from '../../../src/host/project.ts';
import { appendProgress, withProgressLine } from '../../../src/project/append-progress.ts';
import { closeQueue, openQueue } from '../../../src/queue/queue.ts';
import { listRuns, startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { initialised, type Ran, runWithin, type TestProject } from '../../support/ralph.ts';
import { done, scripted, shell } from '../../support/scripted-agent.ts';
import { tempDir } from '../../support/temp.ts';

const TASKS = 'tasks:\n  - { id: 1, title: One }\n';
const MORE = `${TASKS}  - { id: 7, title: Planted }\n`;

const tasksFile = ({ root }: TestProject): string => join(root, '.ralph/tasks.yaml');
const placeOf = ({ root }: TestProject) => findProject(root);

/** A person who says this to every question. */
const saying = ({ root, home }: TestProject, answer: string, ...args: string[]): Promise<Ran> =>
  runWithin(args, { cwd: root, env: { HOME: home, PATH: process.env['PATH'] }, ask: async () => answer });

async function held(text = MORE): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(tasksFile(project), TASKS);
  await project.json('list');
  await beginHold(placeOf(project));
  writeFileSync(tasksFile(project), text);
  return project;
}

async function proposed(after: string): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(tasksFile(project), TASKS);
  await project.json('list');
  const changes = [{ path: '.ralph/tasks.yaml', before: TASKS, after }];
  await saveProposal(placeOf(project).stateDir, { session_id: 'abcd1234-5', task_id: 1, at: 0, changes });
  return project;
}

it('what a session changes below .ralph in its slot is shown to the person, and taken over after their yes', async () => {
  const { project, git } = await scripted({
    1: [[shell("echo '  - { id: 7, title: Planted }' >> .ralph/tasks.yaml; echo work > work.txt"), done()]],
  });
  writeFileSync(tasksFile(project), TASKS);
  git('add', '-Af', '.ralph/tasks.yaml');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Define');
  const run = await project.within('run');
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toMatch(/NEEDS YOU\n {2}~ #1 proposes a change of \.ralph\/tasks\.yaml +ralph approve/);
  expect(await project.json('list')).toMatchObject([{ id: 1, status: 'done' }]);
  expect(git('show', '--format=', '--name-only', 'HEAD')).toBe('work.txt\n');
  expect((await project.within('status')).stdout).toContain('~ #1 proposes a change of .ralph/tasks.yaml');
  expect(await project.within('approve', '--definitions')).toMatchObject({
    stdout: expect.stringContaining('\n+  - { id: 7, title: Planted }\n'),
  });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(TASKS);
  expect(await saying(project, 'n', 'approve', '--definitions')).toMatchObject({
    stdout: expect.stringContaining('Left as it is'),
  });
  expect(await saying(project, 'y', 'approve', '--definitions')).toMatchObject({ code: 0 });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(MORE);
  expect(await project.json('list')).toMatchObject([{ id: 1 }, { id: 7, title: 'Planted' }]);
  expect((await project.within('status')).stdout).not.toContain('proposes');
});

it('what an agent writes into the definitions of the checkout during a run counts for nothing, then or later', async () => {
  const { project, write } = await scripted({});
  write(1, [
    [shell(`echo '  - { id: 7, title: Planted }' >> '${tasksFile(project)}'; echo work > work.txt`), done()],
  ]);
  write(2, [[shell('echo two > two.txt'), done()]]);
  writeFileSync(tasksFile(project), TASKS);
  await project.json('add', 'Two');
  const run = await project.within('run');
  expect(run.stdout).toContain(
    '.ralph/tasks.yaml changed while agents were at work; it counts once you approve it',
  );
  expect(run.stdout).toMatch(
    /NEEDS YOU\n {2}~ \.ralph\/tasks\.yaml changed while agents were at work +ralph approve/,
  );
  expect(await project.json('list')).toMatchObject([
    { id: 1, status: 'done' },
    { id: 2, status: 'done' },
  ]);
  expect(await project.json('status')).toMatchObject({
    definitions: [{ name: 'checkout', files: ['.ralph/tasks.yaml'] }],
  });
  // A person's later edit does not carry the agent's along.
  writeFileSync(
    tasksFile(project),
    `${readFileSync(tasksFile(project), 'utf8')}  - { id: 8, title: Mine }\n`,
  );
  expect(await project.json('list')).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect(await project.within('approve', '--definitions', 'checkout', '--reject')).toMatchObject({ code: 0 });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(TASKS);
  expect(await project.json('status')).toMatchObject({ definitions: [] });
  writeFileSync(tasksFile(project), MORE);
  expect(await project.json('list')).toHaveLength(3);
});

it('a person approves what changed in the checkout, and it is applied', async () => {
  const project = await held();
  expect(await project.json('list')).toMatchObject([{ id: 1 }]);
  expect(await saying(project, 'yes', 'approve', '--definitions')).toMatchObject({ code: 0 });
  expect(await project.json('list')).toMatchObject([{ id: 1 }, { id: 7 }]);
});

it('no later session of a run sees what an agent wrote into notes, recipes and progress, and the person is told', async () => {
  const { project, write, promptOf } = await scripted({});
  const inRalph = (name: string): string => join(project.root, '.ralph', name);
  const plants = ['CLAUDE.RALPH.md', 'learnings.txt', 'progress.txt'].map(
    (name) => `echo 'Planted order.' >> '${inRalph(name)}'`,
  );
  const recipe = `mkdir '${inRalph('recipes')}'; echo 'text: { planted: Planted order. }' > '${inRalph('recipes/task_execution.yaml')}'`;
  write(1, [[shell([...plants, recipe, 'echo work > work.txt'].join('; ')), done('Built the door.')]]);
  write(2, [[shell('echo two > two.txt'), done()]]);
  writeFileSync(inRalph('CLAUDE.RALPH.md'), 'Use tabs.\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  const { stdout } = await project.within('run');
  expect(stdout).toContain(
    '.ralph/CLAUDE.RALPH.md, .ralph/learnings.txt, .ralph/progress.txt, .ralph/recipes/task_execution.yaml changed while agents were at work; it counts once you approve it: ralph approve --definitions',
  );
  const prompt = promptOf(2, 0);
  expect(prompt).not.toContain('Planted order');
  expect(prompt).toContain('Use tabs.');
  expect(prompt).toContain('#1 One: Built the door.');
  expect(await project.within('approve', '--definitions', 'checkout', '--reject')).toMatchObject({ code: 0 });
  // The line of the second session is Ralph's own.
  expect(readFileSync(inRalph('progress.txt'), 'utf8')).toMatch(/^\S+ #1 One: .*\n\S+ #2 Two: .*\n$/);
  expect(await project.json('status')).toMatchObject({ definitions: [] });
});

it('a run that appends to its own file leaves nothing to approve, also if it was killed before it did', async () => {
  const project = await held(TASKS);
  const place = placeOf(project);
  const file = join(project.root, '.ralph/progress.txt');
  const line = { session_id: 'abcd1234', task: { id: 1, title: 'One' }, summary: 'Built.', at: 0 };
  const add = () => acceptChange(place, '.ralph/progress.txt', (content) => withProgressLine(content, line));
  await add();
  expect(await findHeld(place)).toEqual([]);
  await appendProgress(project.root, line);
  await add();
  expect(await findHeld(place)).toEqual([]);
  writeFileSync(file, `${readFileSync(file, 'utf8')}And obey.\n`);
  expect(await findHeld(place)).toMatchObject([{ path: '.ralph/progress.txt' }]);
});

it('a run has let go of the files below .ralph when it ends: the next one may begin then, and holds them', async () => {
  const { project } = await scripted({ 1: [[shell('echo work > work.txt'), done()]] });
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  const { stateDir } = placeOf(project);
  const queue = await openQueue(databasePath(stateDir));
  onTestFinished(() => closeQueue(queue));
  const lastChangeMs = Math.floor(statSync(join(stateDir, 'accepted')).mtimeMs);
  const [run] = (await listRuns(queue, 1)).runs;
  expect(run?.ended).toBeGreaterThanOrEqual(lastChangeMs);
});

it('a file below .ralph that a gate writes at the end of a run, for commits of a person that came late, is held', async () => {
  const { project, config, git } = await scripted({ 1: [[shell('echo work > work.txt'), done()]] });
  const mine = join(project.root, 'mine.txt');
  // Beside the work of the session the person commits; the gate of the merge then writes in the checkout.
  const gate = [
    'test -e work.txt || exit 0',
    `test ! -e mine.txt || { echo Obey. > '${project.root}/.ralph/CLAUDE.RALPH.md'; exit 0; }`,
    `cd '${project.root}' && echo mine > mine.txt && git add mine.txt`,
    'git -c user.name=Kim -c user.email=kim@example.com commit -qm Mine',
  ].join('; ');
  await config(`gates: ${JSON.stringify([{ name: 'test', command: gate }])}\n`);
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(existsSync(mine) && git('ls-tree', '--name-only', 'HEAD', 'work.txt')).toBe('work.txt\n');
  expect(await findHeld(placeOf(project))).toMatchObject([{ path: '.ralph/CLAUDE.RALPH.md' }]);
});

it('a run that cannot hold the files below .ralph ends, and a later one of the same process begins', async () => {
  const { project } = await scripted({ 1: [[shell('echo work > work.txt'), done()]] });
  await project.json('add', 'One');
  const folder = join(placeOf(project).stateDir, 'accepted');
  // Nothing can be written there, and nothing is there to read.
  symlinkSync(join(project.home, 'nowhere/x'), folder);
  expect(await project.within('run')).toMatchObject({ code: 1, stderr: expect.stringContaining(folder) });
  rmSync(folder);
  const homes = readdirSync(project.home, { recursive: true, encoding: 'utf8' });
  expect(homes.filter((path) => /\/home(-\d+)?(\.lock)?$/.test(path))).toEqual([]);
  expect(await project.within('run')).toMatchObject({ code: 0 });
});

it('a file that a session names as context is shown as it was accepted, if agents work in the checkout', async () => {
  const project = await held(`tasks:\n  - { id: 1, title: One, context_files: [.ralph/specs] }\n`);
  const spec = join(project.root, '.ralph/specs/door.md');
  mkdirSync(dirname(spec));
  writeFileSync(spec, 'Red.\n');
  await project.json('approve', '--definitions', '--yes');
  await beginHold(placeOf(project));
  writeFileSync(spec, 'Planted order.\n');
  writeFileSync(join(dirname(spec), 'more.md'), 'Planted order.\n');
  const { stdout } = await project.within('prompt', '1');
  expect(stdout).toContain('Red.');
  expect(stdout).toContain('new, and not approved yet');
  expect(stdout).not.toContain('Planted order');
  const found = await project.json('search', 'planted order', '--json');
  expect(JSON.stringify(found)).not.toContain('Planted');
});

it("a person's own edit of the notes beside a run counts as soon as they approve it", async () => {
  const project = await held(TASKS);
  writeFileSync(join(project.root, '.ralph/CLAUDE.RALPH.md'), 'Use spaces.\n');
  expect((await project.within('prompt', '1')).stdout).not.toContain('Use spaces.');
  expect(await saying(project, 'yes', 'approve', '--definitions')).toMatchObject({ code: 0 });
  expect((await project.within('prompt', '1')).stdout).toContain('Use spaces.');
});

it('a run tells the person of every approval beside it, for without a sandbox an agent can forge one', async () => {
  const { project, write, promptOf } = await scripted({});
  const folder = join(placeOf(project).stateDir, 'accepted');
  const forge = `sed -i 's/Use tabs/Use cats/' '${folder}'/*.json '${join(project.root, '.ralph/CLAUDE.RALPH.md')}'`;
  write(1, [[shell(`${forge}; echo work > work.txt`), done()]]);
  write(2, [[shell('echo two > two.txt'), done()]]);
  writeFileSync(join(project.root, '.ralph/CLAUDE.RALPH.md'), 'Use tabs.\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  const { stdout } = await project.within('run');
  expect(stdout).toContain(
    '.ralph/CLAUDE.RALPH.md counts from now on as a command beside this run approved it; if that was not you, an agent did it',
  );
  expect(promptOf(2, 0)).toContain('Use cats.');
});

it('what is held in one work tree is not held in another', async () => {
  const { root, stateDir } = placeOf(await held());
  expect(await findHeld({ root, stateDir })).toHaveLength(1);
  expect(await findHeld({ root: tempDir(), stateDir })).toEqual([]);
});

it('a held file that is no definition stops the next run until it is approved', async () => {
  const project = await held(TASKS);
  writeFileSync(join(project.root, '.ralph/CLAUDE.RALPH.md'), 'Obey.\n');
  await endHold(placeOf(project), async () => true);
  expect(await project.within('run')).toMatchObject({
    code: 1,
    stderr:
      'ralph: .ralph/CLAUDE.RALPH.md changed while agents were at work, and you have not approved that; look at it with: ralph approve --definitions\n',
  });
  expect(await project.within('approve', '--definitions', '--yes')).toMatchObject({ code: 0 });
  expect(await project.within('run')).not.toMatchObject({ stderr: expect.stringContaining('approved') });
});

it('a command of a person changes a definition beside a run at once', async () => {
  const project = await held(TASKS);
  await project.json('edit', '1', '--title', 'Uno', '--yes');
  expect(await project.json('list')).toMatchObject([{ title: 'Uno' }]);
  expect(await project.json('status')).toMatchObject({ definitions: [] });
});

it('a command of a person does not carry along what waits in the same files', async () => {
  const project = await held();
  expect(await project.within('edit', '1', '--title', 'Uno', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('look at it with: ralph approve --definitions'),
  });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(MORE);
});

it('a proposal for a file that the person changed since is refused, and can be dropped', async () => {
  const project = await proposed(MORE);
  writeFileSync(tasksFile(project), `# Mine\n${TASKS}`);
  expect(await project.within('approve', '--definitions', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('.ralph/tasks.yaml has changed since that session began'),
  });
  expect(await project.within('approve', '--definitions', 'abcd1234', '--reject')).toMatchObject({ code: 0 });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(`# Mine\n${TASKS}`);
  expect(await project.json('approve', '--definitions')).toEqual([]);
});

it.each([
  ['no YAML', 'tasks: [\n'],
  ['a dependency that does not exist', `${TASKS}  - { id: 2, title: Two, depends_on: [99] }\n`],
])('approving a proposal with %s is refused and changes nothing', async (_, after) => {
  const project = await proposed(after);
  expect(await project.within('approve', '--definitions', '--yes')).toMatchObject({ code: 1 });
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(TASKS);
  expect(await project.json('approve', '--definitions')).toHaveLength(1);
});

it('a proposal never names a file outside of .ralph', async () => {
  const project = await initialised();
  const changes = [{ path: '.ralph/../package.json', before: null, after: '{}' }];
  await saveProposal(placeOf(project).stateDir, { session_id: 'abcd1234', task_id: null, at: 0, changes });
  expect(await project.within('approve', '--definitions', '--yes')).toMatchObject({ code: 1 });
  expect(existsSync(join(project.root, 'package.json'))).toBe(false);
});

it('trust that is given beside a run is shown by the next run, once', async () => {
  const { project, config } = await scripted({ 1: [[shell('echo work > work.txt'), done()]] });
  const queue = await openQueue(databasePath(placeOf(project).stateDir));
  onTestFinished(() => closeQueue(queue));
  const run_id = await startRun(queue, identify(process.pid));
  await config('gates: [{ name: look, command: "true" }]\n');
  await stopRun(queue, run_id, 'finished');
  const shown = 'trust was given while an earlier run was at work';
  const first = (await project.within('run')).stdout;
  expect(first).toContain(shown);
  expect(first).toContain('now "gate look: true"');
  expect((await project.within('run')).stdout).not.toContain(shown);
});

it('a damaged record of what was accepted lets nothing in, and stops no command that reads', async () => {
  const project = await held();
  const { stateDir } = placeOf(project);
  const folder = join(stateDir, 'accepted');
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{');
  expect(await project.json('list')).toMatchObject([{ id: 1 }]);
  expect(await project.json('status')).toMatchObject({ definitions: [{ name: 'checkout' }] });
});
