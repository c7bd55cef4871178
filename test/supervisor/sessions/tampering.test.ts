import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { watchForTampering } from '../../../src/supervisor/sessions/tampering.ts';
import { done, type ScriptedProject, scripted, shell } from '../../support/scripted-agent.ts';

const PACKAGE = (test: string): string => JSON.stringify({ scripts: { test } });

describe('a session that changes what judges it', () => {
  it('a session that changes what judges it waits for a person, and the new rules count only once they are trusted', async () => {
    const { project, git, config } = await scripted({
      1: [[shell(`echo '${PACKAGE('exit 0')}' > package.json`), done()], [done('Again.')]],
      2: [[shell('echo two > two.txt'), done()]],
    });
    writeFileSync(join(project.root, 'package.json'), PACKAGE('test -e two.txt'));
    git('add', 'package.json');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
    await config('gates: [{ name: test, command: npm test }]\n');
    await project.json('add', 'Cheat', '--priority', 'high');
    await project.json('add', 'Write two');
    const ran = await project.within('run', '--accept-red', 'test');
    expect(ran).toMatchObject({ code: 10, stderr: '' });
    expect(ran.stdout).toContain('Task 1 changed the rules that judge it');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'blocked',
      attempts: 1,
      receipt: null,
      blocked_by: expect.stringContaining('now "script test of package.json: exit 0"'),
    });
    // Its work was set aside, so the next task is judged by the rules that a person knows.
    expect(await project.json('show', '2')).toMatchObject({ status: 'done' });
    expect(readFileSync(join(project.root, 'package.json'), 'utf8')).toBe(PACKAGE('test -e two.txt'));

    writeFileSync(join(project.root, 'package.json'), PACKAGE('exit 0'));
    expect(await project.within('run')).toMatchObject({ code: 1 });
    await project.json('trust', '--yes');
    await project.json('retry', '1');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  });

  it.each([
    ['of its slot', '', '#1 changed .ralph/config.yaml in its slot; Ralph did not take that over'],
    ['in place', 'in_place: true\n', '.ralph/config.yaml changed while #1 ran'],
  ])(
    'a session that changes the configuration %s is judged by the old one, and Ralph tells the person',
    async (_, mode, sentence) => {
      const { project } = await scripted(
        {
          1: [[shell("mkdir -p .ralph; printf 'gates: []\\n' > .ralph/config.yaml; echo 1 > 1.txt"), done()]],
        },
        `${mode}max_attempts: 1\ngates: [{ name: test, command: "test ! -e 1.txt" }]\n`,
      );
      await project.json('add', 'Cheat');
      const { stdout } = await project.within('run');
      expect(stdout).toContain(sentence);
      expect(await project.json('show', '1')).toMatchObject({ status: 'failed', attempts: 1 });
    },
  );

  it('a definition by which a session would make the next one start a program is held, and starts nothing', async () => {
    const server = 'mcp_servers: [{ name: evil, command: touch, args: [executed] }]';
    const { project } = await scripted(
      {
        1: [[shell(`printf 'disciplines: [{ name: x, ${server} }]\\n' > .ralph/disciplines.yaml`), done()]],
        2: [[done()]],
      },
      'in_place: true\n',
    );
    await project.json('add', 'Plant it', '--priority', 'high');
    await project.json('add', 'Step on it');
    expect(await project.within('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('.ralph/disciplines.yaml changed while agents were at work'),
    });
    expect(await project.json('list')).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(await project.json('discipline', 'list')).not.toContainEqual(
      expect.objectContaining({ name: 'x' }),
    );
    expect(existsSync(join(project.root, 'executed'))).toBe(false);
  });

  it('settings that a session leaves among the ignored files of its slot are gone before the next one starts', async () => {
    const settings = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch executed"}]}]}}';
    const { project, git } = await scripted({
      1: [[shell(`mkdir -p .claude; echo '${settings}' > .claude/settings.local.json`), done()], [done()]],
      2: [[shell('ls -A .claude > seen.txt 2>/dev/null; echo 2 > 2.txt'), done()]],
    });
    writeFileSync(join(project.root, '.gitignore'), '.claude/settings.local.json\n');
    git('add', '.gitignore');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
    await project.json('add', 'Plant it', '--priority', 'high');
    await project.json('add', 'Step on it');
    await project.within('run', '--max-sessions', '2');
    expect(await project.json('show', '2')).toMatchObject({ status: 'done' });
    expect(git('show', 'HEAD:seen.txt')).toBe('');
  });

  it('Ralph restores its own files after a session that removes them', async () => {
    const { project } = await scripted({ 1: [[shell('rm -rf .ralph'), done()]] }, 'in_place: true\n');
    await project.json('add', 'Tidy up');
    expect(await project.within('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('.ralph/config.yaml'),
    });
    expect(existsSync(join(project.root, '.ralph/config.yaml'))).toBe(true);
  });

  it('a session that leaves an unreadable definition ends no run: the last valid one stays', async () => {
    const { project } = await scripted(
      { 1: [[shell("printf 'tasks: [{ titel: x }]\\n' > .ralph/tasks.yaml"), done()]], 2: [[done()]] },
      'in_place: true\n',
    );
    await project.json('add', 'One', '--priority', 'high');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('.ralph/tasks.yaml changed while agents were at work'),
    });
  });
});

describe('a session that changes the repository', () => {
  it.each([
    ['of its slot', ''],
    ['in place', 'in_place: true\n'],
  ])('an agent that points the repository %s elsewhere changes nothing for Ralph', async (_, config) => {
    const { project, git } = await scripted(
      { 1: [[shell('git config core.worktree ..; echo 1 > 1.txt'), done()]] },
      config,
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(git('--work-tree=.', 'show', '--name-only', '--format=')).toBe('1.txt\n');
  });
});

it('trust that is given during a run counts from the next run on, and for a client at once', async () => {
  const before = { lines: ['gate a', 'script x'], executable: ['gate a'], trusted: true };
  const after = { lines: ['gate b', 'script x'], executable: ['gate b'], trusted: true };
  for (const isPersons of [false, true]) {
    let now = before;
    const { isAllowed, findTampering } = await watchForTampering({ trust: async () => now }, { isPersons });
    expect([await isAllowed(), await findTampering(1)]).toEqual([true, null]);
    now = after;
    expect(await isAllowed()).toBe(isPersons);
    expect((await findTampering(1)) === null).toBe(isPersons);
  }
});

it('an agent cannot trust its own rules', async () => {
  const { project, config, git, write } = await scripted({});
  const { root } = project;
  const trust = `env -u RALPH_SESSION_ID ${process.execPath} ${inject('ralph')} trust --yes; true`;
  const cheat = `echo '${PACKAGE('exit 0')}' > package.json`;
  write(1, [[shell(`${cheat}; cd '${root}'; ${cheat}; ${trust}`), done()]]);
  writeFileSync(join(root, 'package.json'), PACKAGE('exit 1'));
  git('add', 'package.json');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
  await config('gates: [{ name: test, command: npm test }]\n');
  await project.json('add', 'Cheat');
  await project.within('run', '--accept-red', 'test');
  expect(await project.json('show', '1')).toMatchObject({ status: 'blocked', receipt: null });
});

it('a process that clears its environment and holds the output open does not block a run', async () => {
  const { project } = await scripted({
    1: [[shell('env -i setsid sleep 8 >&2 2>/dev/null & true'), done()]],
  });
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
});

it("an agent's entries in .git/info/exclude hide nothing in this session or the next, and are kept in a copy", async () => {
  const { project, git } = await scripted(
    {
      1: [[shell('mkdir -p .git/info gen; echo gen/ >> .git/info/exclude; echo 1 > gen/1'), done()]],
      2: [[shell('echo 2 > gen/2'), done()]],
    },
    'in_place: true\n',
  );
  await project.json('add', 'One');
  await project.json('add', 'Two');
  expect((await project.within('run')).stdout).toContain('.git/info/exclude.changed');
  expect(readFileSync(join(project.root, '.git/info/exclude.changed'), 'utf8')).toContain('gen/');
  expect(git('log', '--name-only', '--format=').split('\n').filter(Boolean)).toEqual(['gen/2', 'gen/1']);
});

it('with "commit: agent" a done counts only if the agent committed what was proven', async () => {
  const { project, git } = await scripted(
    {
      1: [
        [shell('echo x > needed; echo y > README; git add README; git commit -qm Mine'), done()],
        [shell('git add needed; git commit -qm Needed'), done()],
      ],
    },
    'commit: agent\ngates: [{ name: test, command: "true" }]\n',
  );
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  await project.json('add', 'One');
  const { code, stdout } = await project.within('run');
  expect(code).toBe(10);
  expect(stdout).toContain('Task 1 is proven with needed, but the agent has not committed that');
  await project.json('answer', '1', 'Commit it.');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { commit: git('rev-parse', 'HEAD').trim() },
  });
});

it('a record that was cut short charges no task, and the person hears of the files that it left', async () => {
  const { project } = await scripted(
    {
      1: [[shell('for f in .git/ralph/sessions/*/in-place.json; do : > $f; done; echo 1 > 1.txt'), done()]],
    },
    'in_place: true\n',
  );
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('these files are not committed: 1.txt.'),
  });
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
});

describe('a gate', () => {
  const counted = (file: string): string =>
    `gates: [{ name: test, command: "echo ran >> ${file}; test ! -e broken" }]\n`;

  /** The gate is red on its first commit. */
  function breakTree({ project, git }: ScriptedProject): void {
    writeFileSync(join(project.root, 'broken'), '');
    git('add', 'broken');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Break it');
  }

  it('a gate runs before a task only if its result is unknown, and after every done', async () => {
    const { project, config } = await scripted({
      1: [[done()]],
      2: [[shell('echo 2 > 2.txt'), done()]],
      3: [[done()]],
    });
    const ran = join(project.home, 'ran');
    await config(counted(ran));
    for (const title of ['One', 'Two', 'Three']) await project.json('add', title);
    expect(await project.within('run')).toMatchObject({ code: 0 });
    // Before the first, and after each of the three: what one session proved is the baseline of the next.
    expect(readFileSync(ran, 'utf8')).toBe('ran\n'.repeat(4));
    expect(await project.json('show', '3')).toMatchObject({
      receipt: { gates: [{ name: 'test', passed: true }] },
    });
  });

  it('a gate that was accepted as red is named as such, to the agent and to the person, and refutes nothing', async () => {
    const scene = await scripted({ 1: [[done()]] }, counted('/dev/null'));
    const { project, promptOf } = scene;
    breakTree(scene);
    await project.json('add', 'One');
    const { stdout } = await project.within('run', '--accept-red', 'test');
    expect(stdout).toContain('gate test failed before #1 began');
    expect(promptOf(1, 0)).toContain('Before this task began the gate test');
    expect(promptOf(1, 0)).toContain('which was accepted');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      receipt: { gates: [{ name: 'test', passed: false, required: false }] },
    });
  });

  it('a gate that was accepted as red and was green before a task refutes it', async () => {
    const { project } = await scripted({ 1: [[shell('touch broken'), done()]] }, counted('/dev/null'));
    await project.json('add', 'One');
    await project.within('run', '--accept-red', 'test', '--max-sessions', '1');
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 1 });
  });
});
