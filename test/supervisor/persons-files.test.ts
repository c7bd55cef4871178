import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { callTool, connect } from '../support/mcp.ts';
import { HANGS, isThere, runUntilAtWork } from '../support/running.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', ''].join('\n');

/** In place: in slots no session sees the person's files. */
async function project(attempts: Record<string, Step[][]>, config = ''): Promise<ScriptedProject> {
  const made = await scripted(attempts, `in_place: true\n${config}`, { isEmpty: true });
  const { git, project: given } = made;
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  writeFileSync(join(given.root, 'both.txt'), LINES);
  writeFileSync(join(given.root, 'base.txt'), 'base\n');
  git('add', 'both.txt', 'base.txt');
  git('commit', '-qm', 'Begin');
  return made;
}

/** Of a person: a new file, a changed one, a staged one, and a line in a file that the task changes as well. */
function edit({ project: { root }, git }: ScriptedProject): void {
  writeFileSync(join(root, 'notes.txt'), 'of a person\n');
  writeFileSync(join(root, 'staged.txt'), 'staged by a person\n');
  git('add', 'staged.txt');
  appendFileSync(join(root, 'base.txt'), 'of a person\n');
  const text = readFileSync(join(root, 'both.txt'), 'utf8');
  writeFileSync(join(root, 'both.txt'), text.replace('two', 'two of a person'));
}

/** Only the task's lines are in its commit, and the person's are where they were. */
function expectApart({ project: { root }, git }: ScriptedProject): void {
  expect(git('show', '--name-only', '--format=%s', 'HEAD')).toBe('One\n\n1.txt\nboth.txt\n');
  expect(git('show', 'HEAD:both.txt')).toBe(LINES.replace('six', 'six of the task'));
  expect(readFileSync(join(root, 'both.txt'), 'utf8')).toBe(
    LINES.replace('two', 'two of a person').replace('six', 'six of the task'),
  );
  expect(git('status', '--porcelain', '--', '.', ':!.ralph', ':!ralph.json')).toBe(
    ' M base.txt\n M both.txt\nA  staged.txt\n?? notes.txt\n',
  );
}

const WORK = 'sed -i "s/six/six of the task/" both.txt; echo 1 > 1.txt';

const ASKS: Step[] = [
  shell(WORK),
  { verb: 'ask', args: { question: 'Which?', blocking: true } },
  { verb: 'partial', args: { summary: 'Half.', remaining: 'Half.' } },
];

it("a person's changes while a question is open are not in the commit of the run that finishes the task", async () => {
  const made = await project({ 1: [ASKS, [done()]] });
  const { json, within } = made.project;
  await json('add', 'One');
  expect((await within('run')).code).toBe(10);
  edit(made);
  await json('answer', '1', 'This.');
  expect(await within('run')).toMatchObject({ code: 0 });
  expectApart(made);
});

it("Ralph does not take what an agent staged in a failed session for a person's staging", async () => {
  const made = await project(
    {
      1: [
        [shell('echo bad > 1.txt; git add 1.txt'), done()],
        [shell('echo good > 1.txt'), done()],
      ],
    },
    'gates: [{ name: test, command: "! grep -q bad 1.txt" }]',
  );
  const { json, within, root } = made.project;
  writeFileSync(join(root, 'staged.txt'), 'staged by a person\n');
  made.git('add', 'staged.txt');
  const status = (): string => made.git('status', '--porcelain', '--', '.', ':!.ralph', ':!ralph.json');
  await json('add', 'One');
  await within('run', '--max-sessions', '1');
  expect(status()).toBe('A  staged.txt\n?? 1.txt\n');
  expect((await within('run')).code).toBe(0);
  expect(status()).toBe('A  staged.txt\n');
});

it("a person's changes while a question is open are not in the commit of the client that finishes the task", async () => {
  const made = await project({ 1: [ASKS], 2: [[shell('echo 2 > 2.txt'), done()]] });
  const { json, within, root } = made.project;
  await json('add', 'One');
  await json('add', 'Two');
  expect((await within('run')).code).toBe(10);
  // The other task came after it, so its work was set aside.
  expect(existsSync(join(root, '1.txt'))).toBe(false);
  await json('answer', '1', 'This.');
  edit(made);
  const client = await connect(made.project);
  await callTool(client, 'next_task', { id: 1 });
  expect(readFileSync(join(root, '1.txt'), 'utf8')).toBe('1\n');
  writeFileSync(
    join(root, 'both.txt'),
    readFileSync(join(root, 'both.txt'), 'utf8').replace('six', 'six of the task'),
  );
  expect((await callTool(client, 'done', { summary: 'Built.' })).text).toContain('Task 1 is done');
  expectApart(made);
});

it("a person's changes after a run was killed are not in the commit of the next run", async () => {
  const made = await project({
    1: [
      [shell(WORK), HANGS],
      [shell('rm -f id'), done()],
    ],
  });
  const { root, json, within } = made.project;
  await json('add', 'One');
  const { child, watcher, ended } = await runUntilAtWork(made.project);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => isThere(watcher)).toBe(false);
  edit(made);
  expect(await within('run')).toMatchObject({ code: 0 });
  expectApart(made);
  expect(existsSync(join(root, 'id'))).toBe(false);
});

it("a person's changes between two sessions of a client are not in its commit", async () => {
  const made = await project({});
  const { json, root } = made.project;
  await json('add', 'One');
  const client = await connect(made.project);
  await callTool(client, 'next_task');
  writeFileSync(join(root, '1.txt'), '1\n');
  writeFileSync(join(root, 'both.txt'), LINES.replace('six', 'six of the task'));
  await callTool(client, 'partial', { summary: 'Half.', remaining: 'Half.' });
  edit(made);
  await callTool(client, 'next_task');
  await callTool(client, 'done', { summary: 'Built.' });
  expectApart(made);
});

it.each([
  ['the gates', '-e 1.txt'],
  ['the gates before the session', '! -e 1.txt'],
])("a person's changes after Ctrl-C during %s are not in the commit of the next run", async (_, when) => {
  const gate = `if [ ${when} ] && [ ! -e "$HOME/go" ]; then touch "$HOME/here"; exec sleep 600; fi`;
  const made = await project(
    { 1: [[shell(WORK), done()]] },
    `gates: [{ name: test, command: ${JSON.stringify(gate)} }]\n`,
  );
  const { json, within, root, home } = made.project;
  await json('add', 'One');
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [inject('ralph'), 'run'], { cwd: root, env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await expect.poll(() => existsSync(join(home, 'here'))).toBe(true);
  // As a terminal sends it when a person presses it twice.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await ended;
  edit(made);
  writeFileSync(join(home, 'go'), '');
  expect(await within('run')).toMatchObject({ code: 0 });
  expectApart(made);
});

it("an agent's commit of the whole tree takes none of the person's changes onto the branch", async () => {
  const made = await project({ 1: [[shell(`${WORK}; git add -A; git commit -qm All`), done()]] });
  const { json, within } = made.project;
  await json('add', 'One');
  edit(made);
  const { code, stdout } = await within('run');
  expect([code, stdout]).toEqual([0, expect.stringContaining('#1 made commits of its own (')]);
  expectApart(made);
  expect(made.git('log', '--format=%s')).toBe('One\nBegin\n');
});

it('Ralph names a file that a gate rewrites once and commits none of it, except the lines that a task changed itself', async () => {
  const gate = 'sed -i "1s/.*/built $(ls | grep -c txt)/" both.txt';
  const made = await project(
    {
      1: [[shell('echo 1 > 1.txt'), done()]],
      2: [[shell('sed -i "s/six/six of the task/" both.txt; echo 2 > 2.txt'), done()]],
    },
    `gates: [{ name: build, command: ${JSON.stringify(gate)} }]\n`,
  );
  const { json, within, root } = made.project;
  await json('add', 'One');
  await json('add', 'Two');
  const { code, stdout } = await within('run');
  expect(code).toBe(0);
  expect(stdout).toContain('both.txt changed while the gate build ran; Ralph commits no such change');
  expect(stdout.split('changed while the gate build ran')).toHaveLength(2);
  expect(made.git('show', '--name-only', '--format=%s', 'HEAD~1')).toBe('One\n\n1.txt\n');
  expect(made.git('show', 'HEAD:both.txt')).toBe(LINES.replace('six', 'six of the task'));
  expect(readFileSync(join(root, 'both.txt'), 'utf8')).toMatch(/^built 4\n/);
});
