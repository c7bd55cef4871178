// `mirror: implementation.json`: the file follows the queue, people may edit it, and nothing they wrote is lost.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool, changeSomething, connect } from '../support/mcp.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { done, scripted } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';

const FILE = 'implementation.json';

type Entry = { id: string; description: string; status: string };

const mirrorIn = ({ root }: TestProject): string => readFileSync(join(root, FILE), 'utf8');

const tasksIn = (project: TestProject): Entry[] =>
  (JSON.parse(mirrorIn(project)) as { tasks: Entry[] }).tasks;

const statuses = (project: TestProject): string[] => tasksIn(project).map(({ status }) => status);

const edit = (project: TestProject, from: string, to: string): void => {
  const text = mirrorIn(project);
  expect(text).toContain(from);
  writeFileSync(join(project.root, FILE), text.replace(from, to));
};

async function mirrored(mirror = FILE, options = { git: true }): Promise<TestProject> {
  const project = await initialised(options);
  writeFileSync(join(project.root, '.ralph/config.yaml'), `mirror: ${mirror}\ngates: []\n`);
  return project;
}

it('an edit of the mirror that finishes a feature adds its verification task', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), `mirror: ${FILE}\nverify_feature: true\n`);
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features: [{ name: auth, acceptance_criteria: [It works] }]\n',
  );
  writeFileSync(join(project.root, 'TODO.md'), '# Plan\n\n## auth\n\n- [x] Done elsewhere\n- [ ] Left\n');
  await project.json('import', 'TODO.md');
  edit(
    project,
    '"description": "Left",\n          "status": "pending"',
    '"description": "Left",\n          "status": "completed"',
  );
  expect(await project.json('list')).toMatchObject([
    { title: 'Done elsewhere', status: 'done' },
    { title: 'Left', status: 'skipped' },
    { title: 'Verify the feature auth', status: 'pending', provenance: 'system' },
  ]);
});

describe('the file', () => {
  it('the mirror is up to date after every command, and git ignores one that Ralph made', async () => {
    const project = await mirrored();
    await project.json('add', 'One');
    await project.json('add', 'Two', '--draft');
    expect(statuses(project)).toEqual(['pending', 'draft']);
    await project.json('approve', '2');
    await project.json('skip', '1');
    expect(statuses(project)).toEqual(['skipped', 'pending']);
    await project.json('retry', '1');
    await project.json('edit', '2', '--title', 'Second');
    expect(tasksIn(project)).toEqual([
      { id: 'task-1', description: 'One', status: 'pending' },
      { id: 'task-2', description: 'Second', status: 'pending' },
    ]);
    expect(readFileSync(join(project.root, '.git/info/exclude'), 'utf8')).toContain(`\n/${FILE}\n`);
    expect(readdirSync(project.root).filter((name) => name.endsWith('.part'))).toEqual([]);
    rmSync(join(project.root, FILE));
    await project.json('list');
    expect(statuses(project)).toEqual(['pending', 'pending']);
  });

  it('a mirror file that existed before is imported first', async () => {
    const project = await mirrored();
    const tasks = [{ id: 'a-1', description: 'First', status: 'completed' }];
    writeFileSync(join(project.root, FILE), JSON.stringify({ version: 1, specs: [{ id: 'a', tasks }] }));
    expect(await project.json('list')).toMatchObject([{ title: 'First', status: 'done', feature: 'a' }]);
    expect(JSON.parse(mirrorIn(project))).toMatchObject({
      updatedBy: 'ralph',
      specs: [{ id: 'a', tasks: [{ id: 'a-1', status: 'completed' }] }],
    });
  });
});

describe('an edit', () => {
  it('an edit of the mirror is imported, and its errors are reported', async () => {
    const project = await mirrored();
    await project.json('add', 'One');
    await project.json('add', 'Two');
    edit(project, '"description": "One"', '"description": "Uno",\n      "hints": "look first"');
    edit(
      project,
      '"tasks": [',
      '"tasks": [{ "id": "new", "description": "Three", "dependsOn": ["nobody"] },',
    );
    const { stdout, stderr } = await project.within('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { title: 'Uno', hints: 'look first' },
      { title: 'Two' },
      { title: 'Three', depends_on: [] },
    ]);
    expect(stderr).toBe(
      `ralph: ${FILE} came in, but: new depends on nobody, which does not exist; that link was left out.\n`,
    );
    expect(tasksIn(project).map(({ id }) => id)).toEqual(['task-1', 'task-2', 'new']);
    expect((await project.within('list')).stderr).toBe('');
  });

  it('an edit to completed skips the task, because only a gate makes it done', async () => {
    const project = await mirrored();
    await project.json('add', 'One');
    edit(project, '"status": "pending"', '"status": "completed"');
    expect(await project.json('show', '1')).toMatchObject({ status: 'skipped' });
    expect(statuses(project)).toEqual(['skipped']);
    edit(project, '"status": "skipped"', '"status": "pending"');
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending' });
  });

  it('an edit that is no JSON is refused, and stays until it is repaired', async () => {
    const project = await mirrored();
    await project.json('add', 'One');
    const whole = mirrorIn(project);
    const broken = whole.slice(0, -20);
    writeFileSync(join(project.root, FILE), broken);
    const { code, stderr } = await project.within('skip', '1');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^ralph: The mirror was left as it is: implementation\.json:\d+ ends in the middle; [^\n]+\n$/,
    );
    expect(mirrorIn(project)).toBe(broken);
    writeFileSync(join(project.root, FILE), whole.replace('"One"', '"Uno"'));
    expect(await project.json('show', '1')).toMatchObject({ title: 'Uno', status: 'skipped' });
    expect(statuses(project)).toEqual(['skipped']);
  });

  it('an older version of the mirror that git restores is no edit', async () => {
    const project = await mirrored();
    await project.json('add', 'One');
    const earlier = mirrorIn(project);
    await project.json('edit', '1', '--title', 'Uno');
    await project.json('skip', '1');
    writeFileSync(join(project.root, FILE), earlier);
    expect(await project.json('show', '1')).toMatchObject({ title: 'Uno', status: 'skipped' });
    expect(tasksIn(project)).toMatchObject([{ description: 'Uno', status: 'skipped' }]);
  });

  it('an edit of the mirror waits while a session is at work', async () => {
    const worked = await workedProject('One', 'Two');
    writeFileSync(join(worked.root, '.ralph/config.yaml'), `mirror: ${FILE}\ngates: []\n`);
    await worked.begin('s1');
    await worked.json('list');
    expect(statuses(worked)).toEqual(['in_progress', 'pending']);
    edit(worked, '"description": "Two"', '"description": "Dos"');
    const { stderr } = await worked.within('add', 'Three');
    expect(stderr).toBe(
      `ralph: ${FILE} was changed while a session is at work; it is left as it is until that has ended.\n`,
    );
    expect(tasksIn(worked).map(({ description }) => description)).toEqual(['One', 'Dos']);
  });
});

describe('a place that cannot be', () => {
  const outside = (root: string): void => symlinkSync(join(tempDir(), 'x.json'), join(root, 'link.json'));
  const cases: [string, string, (root: string) => void, string][] = [
    ['outside', '../out.json', () => {}, '../out.json lies outside of the project; name a file in it'],
    ['in .git', '.git/x.json', () => {}, '.git/x.json lies where .git keeps its own; name another file'],
    [
      'a link out',
      'link.json',
      outside,
      'link.json is a link that leaves the project; put a file in its place.',
    ],
    [
      'a link within',
      'link.json',
      (root) => symlinkSync(join(root, 'README.md'), join(root, 'link.json')),
      'link.json is a link',
    ],
    [
      'a way into .git',
      'way/x.json',
      (root) => symlinkSync('.git', join(root, 'way')),
      'way/x.json is a link, or behind one; put a file in its place.',
    ],
    ['a folder', 'f.json', (root) => mkdirSync(join(root, 'f.json')), 'f.json is not a file; move it away.'],
    ['below a file', 'README.md/x.json', () => {}, 'cannot be written'],
    ["somebody else's file", 'package.json', () => {}, 'package.json is no implementation file'],
  ];
  it('a mirror in an impossible place is reported in one sentence, and the work goes on', async () => {
    const project = await mirrored();
    for (const [about, mirror, prepare, message] of cases) {
      writeFileSync(join(project.root, 'README.md'), '# Read me\n');
      writeFileSync(join(project.root, 'package.json'), '{"name": "p"}\n');
      writeFileSync(join(project.root, '.ralph/config.yaml'), `mirror: ${mirror}\ngates: []\n`);
      prepare(project.root);
      const { code, stdout, stderr } = await project.within('add', about);
      expect({ about, code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(about) });
      expect(stderr, about).toContain(`ralph: The mirror was left as it is: `);
      expect(stderr, about).toContain(message);
      expect(stderr.trim().split('\n'), about).toHaveLength(1);
      rmSync(join(project.root, 'link.json'), { force: true });
      rmSync(join(project.root, 'f.json'), { recursive: true, force: true });
    }
    expect(readFileSync(join(project.root, 'package.json'), 'utf8')).toBe('{"name": "p"}\n');
    expect(readFileSync(join(project.root, 'README.md'), 'utf8')).toBe('# Read me\n');
    expect(existsSync(join(dirname(project.root), 'out.json'))).toBe(false);
    expect(existsSync(join(project.root, '.git/x.json'))).toBe(false);
  });
});

describe('a settle shows in it', () => {
  it('a run updates the mirror after each task, and sets aside what a session wrote into it', async () => {
    const { project, git } = await scripted(
      {
        1: [[{ shell: `sed -i s/pending/skipped/ ${FILE}; echo 1 > one.txt` }, done()]],
        2: [[{ shell: `cp ${FILE} seen-by-2.json` }, done()]],
      },
      `in_place: true\nmirror: ${FILE}\n`,
    );
    await project.json('trust', '--yes');
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const ran = await project.within('run');
    expect(ran.code).toBe(0);
    const aside = /ralph import (\S+)/.exec(ran.stdout)?.[1] ?? '';
    expect(ran.stdout).toContain(
      `${FILE} was changed while a session was at work; its change was not taken in`,
    );
    expect(readFileSync(aside, 'utf8')).toContain('"status": "skipped"');
    const later = JSON.parse(readFileSync(join(project.root, 'seen-by-2.json'), 'utf8')) as {
      tasks: Entry[];
    };
    expect(later.tasks.map(({ status }) => status)).toEqual(['completed', 'pending']);
    expect(statuses(project)).toEqual(['completed', 'completed']);
    expect(git('log', '--name-only', '--format=')).not.toContain(FILE);
  });

  it('a tool call of an MCP client updates the mirror', async () => {
    const project = await mirrored(FILE, { git: false });
    await project.json('trust', '--yes');
    await project.json('add', 'One');
    const client = await connect(project);
    await callTool(client, 'next_task');
    expect(statuses(project)).toEqual(['in_progress']);
    changeSomething(project);
    await callTool(client, 'done', { summary: 'Built.' });
    expect(statuses(project)).toEqual(['completed']);
    await callTool(client, 'create_tasks', { tasks: [{ title: 'Two' }] });
    expect(statuses(project)).toEqual(['completed', 'draft']);
  });
});
