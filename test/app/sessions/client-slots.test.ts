// Clients that take tasks themselves with next_task: each works in a slot, and lands as a session of a run does.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  callTool,
  connect,
  connectWithin,
  folderIn,
  initialize,
  rawServer,
  readText,
  takeTask,
  toolCall,
} from '../../support/mcp.ts';
import { replay } from '../../support/replay.ts';
import { itEncloses } from '../../support/sandbox.ts';
import { done, type ScriptedProject, scripted, shell } from '../../support/scripted-agent.ts';

const GATE = '! grep -qs BAD *.txt';
const GATES = `gates: [{ name: test, command: ${JSON.stringify(GATE)} }]\n`;

/** A project with two committed files, and as many tasks. */
async function projectWith(tasks: number, config = GATES, attempts: Parameters<typeof scripted>[0] = {}) {
  const made = await scripted(attempts, config);
  const { git, project } = made;
  git('branch', '-m', 'main');
  git('config', 'user.name', 'P');
  git('config', 'user.email', 'p@example.com');
  for (const file of ['one.txt', 'two.txt']) writeFileSync(join(project.root, file), 'first\nsecond\n');
  git('add', 'one.txt', 'two.txt');
  git('commit', '-qm', 'Files');
  for (let task = 1; task <= tasks; task++) await project.json('add', `Task ${task}`);
  return made;
}

const say = async (client: Client, verb: string, args: Record<string, unknown>): Promise<string> =>
  (await callTool(client, verb, args)).text;

const sayDone = (client: Client): Promise<string> => say(client, 'done', { summary: 'Built.' });

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

const tip = ({ git }: ScriptedProject): string => git('rev-parse', 'ralph/main').trim();

describe('a client', () => {
  it('a client works in a slot and lands what its gates judged there, beside the changes of a person', async () => {
    const made = await projectWith(1);
    const { project, git, config } = made;
    const record = join(project.home, 'gate');
    await config(`gates: [{ name: test, command: "pwd > ${record}; git rev-parse HEAD: >> ${record}" }]\n`);
    writeFileSync(join(project.root, 'two.txt'), 'mine\n');
    writeFileSync(join(project.root, 'mine.txt'), 'mine\n');
    git('add', 'two.txt');
    const client = await connectWithin(project);
    const slot = await takeTask(client);
    expect(slot).toMatch(/work-1\/tree$/);
    expect(read(slot, 'two.txt')).toBe('first\nsecond\n');
    writeFileSync(join(slot, 'one.txt'), 'built\n');
    expect(await sayDone(client)).toBe(
      'Recorded. Task 1 is done; its receipt is ralph://tasks/1/receipt. Call next_task for the next one.',
    );
    const { receipt } = (await project.json('show', '1')) as {
      receipt: { commit: string; tree_hash: string };
    };
    expect(receipt.commit).toBe(tip(made));
    expect(git('rev-parse', `${receipt.commit}^{tree}`).trim()).toBe(receipt.tree_hash);
    expect(readFileSync(record, 'utf8')).toBe(`${join(slot, '../../gates-1/tree')}\n${receipt.tree_hash}\n`);
    expect(git('rev-parse', 'main').trim()).toBe(receipt.commit);
    expect(git('status', '--porcelain')).toContain('M  two.txt\n?? .ralph');
    expect([read(project.root, 'one.txt'), read(project.root, 'mine.txt')]).toEqual(['built\n', 'mine\n']);
    expect(git('for-each-ref', 'refs/ralph/task-1', 'refs/ralph/work')).toBe('');
  });

  itEncloses(
    'a client is judged by gates in the sandbox: what it wrote cannot read the keys of the person',
    async () => {
      const { project, config } = await projectWith(1);
      mkdirSync(join(project.home, '.ssh'));
      writeFileSync(join(project.home, '.ssh/id'), 'a key');
      const attempt = `cat ${join(project.home, '.ssh/id')}`;
      await config(`gates: [{ name: test, command: "sh attempt.sh; test $? != 0" }]\n`);
      const client = await connectWithin(project, { env: { RALPH_SANDBOX: 'process' } });
      writeFileSync(join(await takeTask(client), 'attempt.sh'), attempt);
      expect(await sayDone(client)).toMatch(/^Recorded\. Task 1 is done/);
    },
  );

  it('a client is told that what it landed waits, if the person has changed the same file', async () => {
    const { project } = await projectWith(1);
    writeFileSync(join(project.root, 'one.txt'), 'mine\n');
    const client = await connectWithin(project);
    writeFileSync(join(await takeTask(client), 'one.txt'), 'built\n');
    const told = await sayDone(client);
    expect(told).toContain('Task 1 is done');
    expect(told).toContain('it landed, and main waits. Commit or stash one.txt');
    expect(read(project.root, 'one.txt')).toBe('mine\n');
  });

  it('a client reads the files of its slot as resources while it holds the task', async () => {
    const made = await projectWith(0);
    const { project, git } = made;
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features: [{ name: docs, knowledge_paths: [one.txt] }]\n',
    );
    git('add', '.ralph/features.yaml');
    git('commit', '-qm', 'Feature');
    await project.json('add', 'Task 1', '--feature', 'docs');
    const client = await connectWithin(project);
    const file = () => readText(client, 'ralph://features/docs/files/one.txt');
    const slot = await takeTask(client);
    writeFileSync(join(slot, 'one.txt'), 'in the slot\n');
    expect(await file()).toContain('in the slot');
    await say(client, 'stuck', { reason: 'No.' });
    expect(await file()).toContain('first');
  });

  it('a client lands after a conflict with the work of another, which it is told and gets to resolve', async () => {
    const made = await projectWith(2);
    const [first, second] = [await connectWithin(made.project), await connectWithin(made.project)];
    const [one, other] = [await takeTask(first), await takeTask(second)];
    expect(one).not.toBe(other);
    writeFileSync(join(one, 'one.txt'), 'first of 1\nsecond\n');
    writeFileSync(join(other, 'one.txt'), 'first of 2\nsecond\n');
    expect(await sayDone(first)).toContain('Task 1 is done');
    const told = await sayDone(second);
    expect(told).toMatch(
      /^Recorded, but the work does not fit what others landed meanwhile, so task 2 is pending again/,
    );
    expect(told).toContain('Conflicts in:\n- one.txt');
    expect(told).toContain('Task 1');
    expect(told).toContain('Call next_task with id 2 to go on with it.');
    expect(await made.project.json('show', '2')).toMatchObject({ status: 'pending', attempts: 0 });
    const slot = await takeTask(second, { id: 2 });
    for (const part of ['<<<<<<<', 'first of 1', 'first of 2']) expect(read(slot, 'one.txt')).toContain(part);
    writeFileSync(join(slot, 'one.txt'), 'first of both\nsecond\n');
    expect(await sayDone(second)).toContain('Task 2 is done');
    expect(replay(made.project.root, GATE)).toMatchObject({ red: [], commits: { length: 2 } });
  });

  it('a client is told that the configuration has changed since it took the task', async () => {
    const { project, config } = await projectWith(1);
    const client = await connectWithin(project);
    writeFileSync(join(await takeTask(client), 'one.txt'), 'built\n');
    await config(`gates: [{ name: test, command: "false" }]\n`);
    expect(await callTool(client, 'done', { summary: 'Built.' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/configuration of Ralph has changed.*Call partial, then next_task/),
    });
    await say(client, 'partial', { summary: 'Built.', remaining: 'Proof.' });
    expect(read(await takeTask(client), 'one.txt')).toBe('built\n');
    expect(await sayDone(client)).toContain('but a gate failed');
  });

  it('a client gets no slot until a person trusts the setup of slots', async () => {
    const { project } = await projectWith(1);
    writeFileSync(join(project.root, '.ralph/config.yaml'), 'slots: { setup: "touch executed" }\n');
    const client = await connectWithin(project);
    expect(await callTool(client, 'next_task')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/setup of slots in this project is not trusted yet.*ralph trust/),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', sessions: [] });
  });
});

describe('in the checkout', () => {
  it('a client works if it asks for that, and nobody else meanwhile', async () => {
    const made = await projectWith(3);
    const { project, git } = made;
    const [client, other] = [await connectWithin(project), await connectWithin(project)];
    expect(await takeTask(client, { in_place: true })).toBe(project.root);
    const refused = /works in this checkout.*only one works at a time/;
    expect(await callTool(other, 'next_task', { in_place: true })).toMatchObject({
      isError: true,
      text: expect.stringMatching(refused),
    });
    expect(await project.within('run', '--in-place')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(refused),
    });
    expect(await takeTask(other)).toMatch(/work-1\/tree$/);
    writeFileSync(join(project.root, 'one.txt'), 'built\n');
    expect(await sayDone(client)).toContain('Task 1 is done');
    expect(git('log', '-1', '--format=%s', 'main')).toContain('Task 1');
    await say(other, 'stuck', { reason: 'No.' });
    expect(await takeTask(other, { in_place: true })).toBe(project.root);
  });
});

describe('a client that leaves', () => {
  it.each(['by the end of its input', 'killed'] as const)(
    'a client that leaves passes its work on, at no cost to the task, and its slot is free (%s)',
    async (way) => {
      const { project, git } = await projectWith(1);
      const server = rawServer(project);
      server.send(initialize(1));
      server.send(toolCall(2, 'next_task', {}));
      const slot = folderIn(textIn(await server.answer(2)));
      writeFileSync(join(slot, 'half.txt'), 'half\n');
      if (way === 'killed') server.child.kill('SIGKILL');
      else server.child.stdin.end();
      await server.exited;
      if (way !== 'killed') expect(git('show', 'refs/ralph/task-1:half.txt')).toBe('half\n');
      const client = await connectWithin(project);
      expect(await takeTask(client)).toBe(slot);
      expect(read(slot, 'half.txt')).toBe('half\n');
      expect(await project.json('show', '1')).toMatchObject({
        attempts: 0,
        sessions: [{ outcome: 'interrupted' }, { outcome: null }],
      });
    },
  );

  it('killed in the checkout leaves its work to the next one as well, which works in a slot', async () => {
    const { project } = await projectWith(1);
    const server = rawServer(project);
    server.send(initialize(1));
    server.send(toolCall(2, 'next_task', { in_place: true }));
    expect(folderIn(textIn(await server.answer(2)))).toBe(project.root);
    writeFileSync(join(project.root, 'half.txt'), 'half\n');
    server.child.kill('SIGKILL');
    await server.exited;
    const slot = await takeTask(await connectWithin(project));
    expect(slot).toMatch(/work-1\/tree$/);
    expect(read(slot, 'half.txt')).toBe('half\n');
  });

  it('a client that leaves while its gates run leaves a done that the next client proves and lands', async () => {
    const made = await projectWith(1);
    const { project, git, config } = made;
    const [here, go] = [join(project.home, 'here'), join(project.home, 'go')];
    await config(
      `gates: [{ name: test, command: "if [ ! -e ${go} ]; then touch ${here}; exec sleep 600; fi" }]\n`,
    );
    const server = rawServer(project);
    server.send(initialize(1));
    server.send(toolCall(2, 'next_task', {}));
    writeFileSync(join(folderIn(textIn(await server.answer(2))), 'one.txt'), 'built\n');
    server.send(toolCall(3, 'done', { summary: 'Built.' }));
    await expect.poll(() => existsSync(here)).toBe(true);
    server.child.kill('SIGKILL');
    await server.exited;
    writeFileSync(go, '');
    const client = await connectWithin(project);
    expect((await callTool(client, 'next_task')).text).toBe(
      'Nothing is left: every task is done or skipped.',
    );
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', receipt: { commit: tip(made) } });
    expect(git('show', 'main:one.txt')).toBe('built\n');
  });
});

describe('side by side', () => {
  it('two clients in processes of their own land at once, each on top of the other', async () => {
    const made = await projectWith(2);
    const { project, git } = made;
    const clients = [await connect(project), await connect(project)];
    const slots = await Promise.all(clients.map((client) => takeTask(client)));
    expect(new Set(slots).size).toBe(2);
    for (const [index, slot] of slots.entries()) writeFileSync(join(slot, `${index}.txt`), 'built\n');
    const answers = await Promise.all(clients.map(sayDone));
    for (const answer of answers) expect(answer).toMatch(/^Recorded\. Task \d is done/);
    expect(replay(project.root, GATE)).toMatchObject({ red: [], commits: { length: 2 } });
    await Promise.all(clients.map((client) => client.close()));
    expect(git('rev-parse', 'main').trim()).toBe(tip(made));
    expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
  });

  it('a client lands beside a run, and neither takes what the other holds', async () => {
    const made = await projectWith(2, GATES, { 2: [[shell('echo built > 2.txt'), done()]] });
    const { project, git } = made;
    const client = await connect(project);
    writeFileSync(join(await takeTask(client), '1.txt'), 'built\n');
    const [ran, answer] = await Promise.all([project.within('run'), sayDone(client)]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(answer).toContain('Task 1 is done');
    expect(replay(project.root, GATE)).toMatchObject({ red: [], commits: { length: 2 } });
    await client.close();
    expect(git('rev-parse', 'main').trim()).toBe(tip(made));
    expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
  });
});

function textIn(message: Record<string, unknown>): string {
  const { content } = message['result'] as { content: { text: string }[] };
  return content[0]?.text ?? '';
}
