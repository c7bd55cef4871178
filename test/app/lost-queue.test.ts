// An empty queue beside the traces of sessions: no command begins anew unasked, and a person is told both ways to go on.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../../src/host/project.ts';
import { callTool, connect, connectWithin } from '../support/mcp.ts';
import { type Ran, runWithin, type TestProject, testProject } from '../support/ralph.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

/** One task is done and committed; then the database is gone. */
async function lost(config = ''): Promise<ScriptedProject> {
  const scene = await scripted({ 1: [[shell('echo one > one.txt'), done('One.')]] }, config);
  await scene.project.json('add', 'One');
  expect(await scene.project.within('run')).toMatchObject({ code: 0 });
  rmSync(findProject(scene.project.root).stateDir, { recursive: true });
  return scene;
}

const withoutJournal = ({ project }: ScriptedProject): void =>
  rmSync(join(project.root, '.ralph/memory'), { recursive: true });

const TELLS = '.ralph/memory records 1 session; bring the tasks back with ralph import .ralph/memory';

/** At a terminal, with this answer to every question. */
function atTerminal({ root, home }: TestProject, answer: string, ...args: string[]): Promise<Ran> {
  const env = { HOME: home, PATH: process.env['PATH'] };
  return runWithin(args, { cwd: root, env, ask: async () => answer });
}

describe('an empty queue beside a journal', () => {
  it('no command and no definition fills an empty queue beside a journal', async () => {
    const { project } = await lost();
    writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks:\n  - { id: 1, title: One }\n');
    writeFileSync(join(project.root, 'prd.json'), '{"userStories":[{"id":"1","title":"Other"}]}');
    for (const command of [
      ['run'],
      ['add', 'Two'],
      ['list'],
      ['status'],
      ['import', 'prd.json'],
      ['doctor'],
    ]) {
      const { stdout, stderr, code } = await project.within(...command);
      expect({ command, code, said: `${stdout}${stderr}` }).toMatchObject({
        command,
        code: 1,
        said: expect.stringContaining(TELLS),
      });
    }
    expect(await project.json('import', '.ralph/memory')).toMatchObject({ sessions: 1 });
    expect(await project.json('list')).toMatchObject([{ id: 1, title: 'One', status: 'done' }]);
  });

  it('an empty queue beside a journal gives an MCP client no task, and says why', async () => {
    const { project } = await lost();
    const client = await connect(project);
    expect(await callTool(client, 'next_task', {})).toMatchObject({
      isError: true,
      text: expect.stringContaining(TELLS),
    });
    await project.json('import', '.ralph/memory');
    expect(await callTool(client, 'next_task', {})).toMatchObject({
      isError: false,
      text: 'Nothing is left: every task is done or skipped.',
    });
  });

  it('an empty queue beside a journal leaves its mirror unchanged', async () => {
    const { project } = await lost('mirror: implementation.json\n');
    const path = join(project.root, 'implementation.json');
    const text = readFileSync(path, 'utf8');
    expect(await project.within('list')).toMatchObject({ code: 1 });
    expect(await project.within('init', '--yes')).toMatchObject({ code: 0 });
    expect(await project.within('list')).toMatchObject({ code: 1 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('ralph init --new-queue starts a new queue, once', async () => {
    const { project } = await lost();
    expect(await project.json('init', '--yes', '--new-queue')).toMatchObject({ queue: 'new' });
    expect(await project.json('list')).toEqual([]);
    expect(await project.json('init', '--yes')).toMatchObject({ queue: 'in use' });
    expect(await project.json('add', 'Two')).toMatchObject({ id: 1 });
    expect(await project.within('init', '--yes', '--new-queue')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The queue is in use already, so --new-queue changed nothing.'),
    });
  });
});

describe('an empty queue beside commits of sessions', () => {
  it('no command fills an empty queue beside commits of sessions', async () => {
    const scene = await lost();
    withoutJournal(scene);
    const commit = scene.git('rev-parse', '--short=7', 'HEAD').trim();
    expect(await scene.project.within('add', 'Two')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `commit ${commit} is the work of a session; put a backup of .*ralph.db back, or start a new`,
        ),
      ),
    });
    await scene.project.json('init', '--yes', '--new-queue');
    expect(await scene.project.json('add', 'Two')).toMatchObject({ id: 1 });
  });

  it('commits of another project in the same repository do not count', async () => {
    const scene = await lost();
    const below = join(scene.project.root, 'packages/other');
    mkdirSync(below, { recursive: true });
    expect(await scene.project.json('init', '--yes', '--project', below)).toMatchObject({ queue: 'in use' });
    expect(await scene.project.json('add', 'First', '--project', below)).toMatchObject({ id: 1 });
  });
});

describe('ralph init in a clone that brings a journal', () => {
  it('ralph init --yes beside a journal says how to import it, and imports nothing', async () => {
    const { project } = await lost();
    const ran = await project.within('init', '--yes');
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`The queue is empty, but ${TELLS}`),
    });
    expect(await project.within('add', 'Two')).toMatchObject({ code: 1 });
  });

  it('ralph init asks a person, and imports the journal', async () => {
    const { project } = await lost();
    expect(await atTerminal(project, 'y', 'init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Rebuilt from .ralph/memory: 1 session, 1 task'),
    });
    expect(await project.json('list')).toMatchObject([{ title: 'One', status: 'done' }]);
  });

  it('ralph init asks a person, and starts a new queue if they decline', async () => {
    const { project } = await lost();
    expect(await atTerminal(project, 'n', 'init')).toMatchObject({ code: 0 });
    expect(await project.json('list')).toEqual([]);
  });
});

it('an agent cannot start a new queue', async () => {
  const { project } = await lost();
  const env = { HOME: project.home, PATH: process.env['PATH'], RALPH_SESSION_ID: 's' };
  const ran = await runWithin(['init', '--yes', '--new-queue'], { cwd: project.root, env });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('only a person sets a project up') });
});

describe('the clone of a colleague', () => {
  /** One task is done and its learning is in the journal; everything is committed, and then cloned. */
  async function cloned(): Promise<ScriptedProject & { clone: TestProject }> {
    const learned = {
      verb: 'learned',
      args: { text: 'Tokens are hashed', kind: 'gotcha', scope: 'project' },
    };
    const scene = await scripted({ 1: [[shell('echo one > one.txt'), learned, done('One.')]] });
    const { root } = scene.project;
    writeFileSync(
      join(root, '.ralph/tasks.yaml'),
      'tasks:\n  - { id: 1, title: One }\n  - { id: 2, title: Two, depends_on: [1] }\n',
    );
    expect(await scene.project.within('run', '--once')).toMatchObject({ code: 0 });
    scene.git('add', '-Af', '.ralph');
    scene.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Share');
    const clone = testProject({ git: false });
    scene.git('clone', '-q', '--no-local', root, clone.root);
    return { ...scene, clone };
  }

  const LINE = 'ralph: Brought back from the committed journal in .ralph/memory: 1 done task, 1 learning.\n';

  it('the first command in a clone brings back what the committed journal knows, and says so once', async () => {
    const { clone } = await cloned();
    const first = await clone.within('list');
    expect(first).toMatchObject({ code: 0, stderr: LINE });
    expect(first.stdout).toMatch(/1 {2}✓ done .* One\n2 {2}● ready .* Two\n/);
    expect(await clone.within('learn', 'list')).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('Tokens are hashed'),
    });
    expect(await clone.json('next')).toMatchObject({ id: 2 });
    expect((await clone.within('show', '1')).stdout).toContain('Rebuilt from the journal: 1 session');
  });

  it('ralph init --yes and an MCP client in a clone bring the journal back as well', async () => {
    const { clone, git } = await cloned();
    const other = testProject({ git: false });
    git('clone', '-q', '--no-local', clone.root, other.root);
    expect(await clone.json('init', '--yes')).toMatchObject({ queue: 'brought back' });
    const client = await connectWithin(other);
    expect((await callTool(client, 'list_tasks', {})).text).toContain('#1 One (done');
  });

  it('a journal that is not as it was committed is left to a person', async () => {
    const { clone } = await cloned();
    const path = join(clone.root, '.ralph/memory/_.jsonl');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll('"task":1', '"task":2').replaceAll('"title":"One"', '"title":"Two"'));
    expect(await clone.within('list')).toMatchObject({ code: 1, stderr: expect.stringContaining(TELLS) });
    writeFileSync(path, text);
    writeFileSync(join(clone.root, '.ralph/memory/more.jsonl'), text);
    expect(await clone.within('list')).toMatchObject({ code: 1 });
    rmSync(join(clone.root, '.ralph/memory/more.jsonl'));
    expect(await clone.within('init', '--yes', '--new-queue')).toMatchObject({ code: 0, stderr: '' });
    expect(await clone.json('list')).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
  });

  it('a definition file that is wrong is named first, and nothing is brought back without it', async () => {
    const { clone } = await cloned();
    const file = join(clone.root, '.ralph/features.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, 'features: [{ nam: x }]\n');
    expect(await clone.within('list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown key "nam"'),
    });
    writeFileSync(file, text);
    expect(await clone.within('list')).toMatchObject({ code: 0, stderr: LINE });
  });
});
