import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { addContextFile } from '../../src/queue/tasks/context-files.ts';
import { signalsOfSession } from '../../src/store/sessions/signals.ts';
import { findTask } from '../../src/store/tasks/tasks.ts';
import {
  callTool,
  changeSomething,
  claimed,
  connectWithin,
  ERAS,
  folderIn,
  initialize,
  MODERN,
  queueOf,
  rawServer,
  readText,
  takeTask,
  toolCall,
} from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';
import { scripted } from '../support/scripted-agent.ts';

const SAID: [string, Record<string, unknown>][] = [
  ['flag', { what: 'Two migrations have one number.', severity: 'warning', category: 'contradiction' }],
  ['learned', { text: 'Tests need NODE_ENV=test.', kind: 'gotcha' }],
  ['suggest', { what: 'Number migrations by date', kind: 'refactor', why: 'They collide.' }],
  ['blocked', { on: 'the staging database', kind: 'external' }],
  ['ask', { question: 'Which region?', blocking: false }],
  ['partial', { summary: 'Half.', remaining: 'The other half.' }],
  ['stuck', { reason: 'The linker fails.' }],
  ['done', { summary: 'All of it.' }],
];

describe.each(ERAS)('a session that is bound by its token (%s)', (era) => {
  it('a session that is bound by its token has the eight verbs and add_context_file, and nothing else', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env } = await claimed(project, 'bound-1');
    const client = await connectWithin(project, { era, env });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'done',
      'partial',
      'stuck',
      'ask',
      'flag',
      'learned',
      'suggest',
      'blocked',
      'add_context_file',
    ]);
  });

  it('a session that is bound by its token records each of the eight verbs, and says what follows', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env, queue } = await claimed(project, 'bound-2');
    const client = await connectWithin(project, { era, env });
    const answers: string[] = [];
    for (const [name, args] of SAID) answers.push((await callTool(client, name, args)).text);
    expect(answers).toEqual([
      'Recorded. Go on.',
      'Recorded. Go on.',
      'Recorded. Go on.',
      'Recorded. Now call partial with what remains.',
      'Recorded. Go on with your best assumption; the answer reaches a later session.',
      'Recorded. This session may end now.',
      'Recorded in place of the earlier partial. This session may end now.',
      'Recorded in place of the earlier stuck. This session may end now.',
    ]);
    const rows = await queue.store.read((db) => signalsOfSession(db, 'bound-2'));
    expect(rows.map(({ signal }) => signal)).toEqual(
      SAID.map(([verb, args]) => ({ verb, ...args, ...(verb === 'learned' && { scope: 'feature' }) })),
    );
    // The supervisor settles, not the server.
    expect((await queue.store.read((db) => findTask(db, 1)))?.status).toBe('in_progress');
  });
});

describe('a verb', () => {
  it('a verb is one row however often the same call arrives', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env, queue } = await claimed(project, 'bound-3');
    const client = await connectWithin(project, { env });
    const args = { text: 'Once.', kind: 'discovery' };
    const first = await callTool(client, 'learned', args, 'toolu_1');
    const again = await callTool(client, 'learned', args, 'toolu_1');
    expect([first.text, again.text]).toEqual([
      'Recorded. Go on.',
      'Recorded already; nothing was added. Go on.',
    ]);
    expect(await queue.store.read((db) => signalsOfSession(db, 'bound-3'))).toHaveLength(1);
  });

  it('a verb after a blocking question says to call partial', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env } = await claimed(project, 'bound-4');
    const client = await connectWithin(project, { env });
    const { text } = await callTool(client, 'ask', { question: 'REST or gRPC?', blocking: true });
    expect(text).toBe('Recorded. Now call partial with what remains.');
  });

  it('a verb with wrong arguments names the field, what was expected and an example, and changes nothing', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env, queue } = await claimed(project, 'bound-5');
    const client = await connectWithin(project, { env });
    expect(await callTool(client, 'flag', { what: 'x', severity: 'wrning', category: 'bug' })).toEqual({
      isError: true,
      text: 'Nothing was changed. "severity" is "wrning", not one of info, warning, blocking; did you mean "warning"? flag takes for example: {"what":"docs/api.md still describes v1 of /orders.","severity":"warning","category":"stale"}',
    });
    for (const args of [
      {},
      { summary: '  ' },
      { summary: '  ', extra: 1 },
      { summary: 'a\0b' },
      { summary: 7 },
    ]) {
      const answer = await callTool(client, 'done', args);
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('"summary":"Tokens are') });
      expect(answer.text).not.toContain('ecorded');
    }
    expect(await queue.store.read((db) => signalsOfSession(db, 'bound-5'))).toEqual([]);
  });

  it('a verb is recorded without an argument that it does not know, and the answer names that one', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env, queue } = await claimed(project, 'bound-7');
    const client = await connectWithin(project, { env });
    expect(await callTool(client, 'done', { summary: 'Built.', wait_for_previous: true })).toEqual({
      isError: false,
      text: 'Recorded. This session may end now. Ignored, because done takes no such argument: "wait_for_previous".',
    });
    const [row] = await queue.store.read((db) => signalsOfSession(db, 'bound-7'));
    expect(row?.signal).toEqual({ verb: 'done', summary: 'Built.' });
    const { text } = await callTool(client, 'ask', { question: 'Which?', blocking: false, optons: ['a'] });
    expect(text).toContain('"optons"; did you mean "options"?');
  });

  it('a verb of a session that lost its task is refused', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const { env, queue } = await claimed(project, 'bound-6');
    const client = await connectWithin(project, { env });
    await queue.store.write((db) => db.updateTable('tasks').set({ token: 99 }).execute());
    const answer = await callTool(client, 'done', { summary: 'Late.' });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/no longer holds task 1.*Stop/),
    });
    expect(answer.text).not.toContain('ecorded');
  });
});

describe('add_context_file', () => {
  it('add_context_file adds a file of the project once, and nothing from outside, no secret, no folder', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    mkdirSync(join(project.root, 'src'));
    writeFileSync(join(project.root, 'src/auth.ts'), 'export {};\n');
    writeFileSync(join(project.root, 'src/b.ts'), 'export {};\n');
    writeFileSync(join(project.root, '.env'), 'KEY=1\n');
    const { env, queue } = await claimed(project, 'bound-7');
    const client = await connectWithin(project, { env });
    const add = (path: string) => callTool(client, 'add_context_file', { path });
    expect((await add('./src/auth.ts')).text).toBe(
      'Added. Later sessions of this task are given src/auth.ts.',
    );
    expect((await add('src/auth.ts')).text).toBe('src/auth.ts was among the files of this task already.');
    for (const path of ['../outside.txt', '/etc/passwd', 'src/none.ts', 'src', '.env', 'src/*.ts'])
      expect(await add(path)).toMatchObject({ isError: true });
    const task = await queue.store.read((db) => findTask(db, 1));
    expect(task?.context_files).toEqual(['src/auth.ts']);
  });

  it('add_context_file with scope feature reaches the prompts of its feature at once, beside the definition file, until a person removes it', async () => {
    const project = await initialised();
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features:\n  - { name: auth, context_files: [docs/auth.md] }\n  - { name: billing }\n',
    );
    writeFileSync(join(project.root, 'session.ts'), 'export const TTL = 60;\n');
    writeFileSync(join(project.root, '.env'), 'KEY=1\n');
    for (const feature of ['auth', 'auth', 'billing'])
      await project.json('add', 'Work', '--feature', feature);
    await project.json('add', 'Work without a feature');
    const prompt = async (id: number) => (await project.within('prompt', String(id))).stdout;
    const { env } = await claimed(project, 'bound-8');
    const client = await connectWithin(project, { env });
    const add = (path: string) => callTool(client, 'add_context_file', { path, scope: 'feature' });
    expect(await add('.env')).toMatchObject({ isError: true });
    expect((await add('session.ts')).text).toBe(
      'Added. Later sessions of the feature auth are given session.ts.',
    );
    expect((await add('session.ts')).text).toBe(
      'session.ts was among the files of the feature auth already.',
    );
    expect(await prompt(2)).toContain(
      '### session.ts\n\nA session of task #1 added it.\n\n```ts\nexport const TTL = 60;\n```',
    );
    expect(await prompt(2)).toContain('- docs/auth.md: there is no such file.');
    expect(await prompt(3)).not.toContain('TTL');
    expect(await project.json('files')).toMatchObject([
      { feature: 'auth', path: 'session.ts', task_id: 1, session_id: 'bound-8', added: expect.any(Number) },
    ]);
    await project.json('files', 'remove', 'auth', 'session.ts');
    expect(await prompt(2)).not.toContain('TTL');
    expect(await project.json('files')).toEqual([]);
    expect(await add('session.ts')).toMatchObject({
      isError: true,
      text: 'A person removed session.ts from the files of the feature auth; name it with learned instead.',
    });
  });

  it('add_context_file with scope feature is refused for a task without a feature, and beyond twenty files', async () => {
    const project = await initialised();
    await project.json('add', 'No feature');
    const alone = await claimed(project, 'bound-9');
    const add = async (env: Record<string, string>, path: string) =>
      callTool(await connectWithin(project, { env }), 'add_context_file', { path, scope: 'feature' });
    const paths = Array.from({ length: 21 }, (_, index) => `file${index}.ts`);
    for (const path of paths) writeFileSync(join(project.root, path), '');
    expect(await add(alone.env, 'file0.ts')).toMatchObject({
      isError: true,
      text: 'Task 1 belongs to no feature; use scope task.',
    });
    writeFileSync(join(project.root, '.ralph/features.yaml'), 'features: [{ name: auth }]\n');
    await project.json('add', 'In a feature', '--feature', 'auth');
    const { env, queue } = await claimed(project, 'bound-10');
    for (const path of paths.slice(0, 20)) await addContextFile(queue, 'bound-10', path, 'feature');
    expect(await add(env, 'file20.ts')).toMatchObject({
      isError: true,
      text: expect.stringContaining('already has 20 files that sessions added, the maximum'),
    });
  });
});

describe('a client of its own', () => {
  it('a client of its own takes a task, works, says done, and the task is done', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'First', '--priority', 'high');
    await project.json('add', 'Second', '--depends-on', '1');
    const client = await connectWithin(project);
    const { text } = await callTool(client, 'next_task');
    expect(text).toContain('## Your task: #1 First');
    expect(text).toContain('# How you report');
    expect(text).not.toMatch(/Try 1|next-model|add_context_file/);
    expect(await callTool(client, 'next_task')).toMatchObject({
      isError: true,
      text: 'You hold task 1. Close it first with done, partial or stuck; nothing was changed.',
    });
    changeSomething(project);
    const done = await callTool(client, 'done', { summary: 'It is there.' }, 'toolu_done');
    expect(done.text).toBe(
      'Recorded. Task 1 is done; its receipt is ralph://tasks/1/receipt. Call next_task for the next one.',
    );
    expect(await callTool(client, 'done', { summary: 'It is there.' }, 'toolu_done')).toEqual(done);
    expect(await readText(client, 'ralph://tasks/1/receipt')).toContain('```\nIt is there.\n```');
    expect((await callTool(client, 'next_task')).text).toContain('## Your task: #2 Second');
  });

  it('a client of its own without a task is told to take one', async () => {
    const client = await connectWithin(await initialised({ git: false }));
    expect(await callTool(client, 'done', { summary: 'x' })).toEqual({
      isError: true,
      text: 'You hold no task, so nothing was changed. Call next_task first; it gives you one.',
    });
  });

  it('a client of its own takes the task it names if that is ready, and is told why not otherwise', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    await project.json('add', 'Second', '--depends-on', '1');
    await project.json('add', 'Third');
    const client = await connectWithin(project);
    expect(await callTool(client, 'next_task', { id: 2 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Task 2 is not ready: it waits for task 1.'),
    });
    await project.json('feature', 'add', 'later', '--status', 'planned');
    await project.json('add', 'Fourth', '--feature', 'later');
    expect(await callTool(client, 'next_task', { id: 4 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Task 4 is not ready: it waits for its feature, which is planned.'),
    });
    expect((await callTool(client, 'next_task', { id: 3 })).text).toContain('## Your task: #3 Third');
  });

  it('a client of its own takes one task even if it asks for two at once', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    await project.json('add', 'Second');
    const client = await connectWithin(project);
    const answers = await Promise.all([callTool(client, 'next_task'), callTool(client, 'next_task')]);
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1);
    expect(await project.json('list', '--status', 'in_progress')).toHaveLength(1);
  });

  it('a client of its own has its done proven by the gates of the project, and its work landed', async () => {
    const { project } = await scripted(
      {},
      'gates: [{ name: test, command: "test -e built.txt || { echo nothing is built; exit 1; }" }]\n',
    );
    await project.json('add', 'Build it');
    const client = await connectWithin(project);
    writeFileSync(join(await takeTask(client), 'work.txt'), 'work\n');
    const refuted = await callTool(client, 'done', { summary: 'Trust me.' });
    expect(refuted).toMatchObject({ isError: false, text: expect.stringContaining('but a gate failed') });
    expect(refuted.text).toContain('nothing is built');
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 1, receipt: null });
    const again = await callTool(client, 'next_task', { id: 1 });
    expect(again.text).toContain('nothing is built');
    writeFileSync(join(folderIn(again.text), 'built.txt'), 'built\n');
    expect((await callTool(client, 'done', { summary: 'Built.' })).text).toContain('Task 1 is done');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      receipt: {
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        gates: [{ name: 'test', passed: true }],
        diff_stat: { files: 2, insertions: 2, deletions: 0 },
      },
    });
  });

  it('cannot say done without a change, unless with a reason that a person approves', async () => {
    const { project } = await scripted({});
    await project.json('add', 'One');
    const client = await connectWithin(project);
    await callTool(client, 'next_task');
    const refused = await callTool(client, 'done', { summary: 'All good.' });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Nothing was recorded\. .*no file has changed.*no_change_reason/),
    });
    const reason = { summary: 'All good.', no_change_reason: 'The limit was there already.' };
    expect(await callTool(client, 'done', reason)).toEqual({
      isError: false,
      text: 'Recorded. Task 1 is needs_input. A person has to approve that no file had to change. Call next_task for the next one.',
    });
    const { stdout } = await project.within('answer', '1', 'approve');
    expect(stdout).toBe('Answered Q1; #1 One is done.\n');
    expect((await project.within('show', '1')).stdout).toContain(
      'change  none: The limit was there already.',
    );
    expect(await readText(client, 'ralph://tasks/1/receipt')).toContain(
      'no change: «The limit was there already.»',
    );
  });

  it('that stopped waiting for the gates and says done again is told what became of the first', async () => {
    const project = await initialised({ git: false });
    const [started, go] = [join(project.home, 'started'), join(project.home, 'go')];
    execFileSync('mkfifo', [started, go]);
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      `gates: [{ name: slow, command: "echo > ${started}; cat ${go}; echo run >> ${project.home}/runs" }]\n`,
    );
    await project.json('trust', '--yes');
    await project.json('add', 'Build it');
    const client = await connectWithin(project);
    await callTool(client, 'next_task');
    writeFileSync(join(project.root, 'built.txt'), 'built\n');
    const patience = new AbortController();
    const arguments_ = { summary: 'Built.' };
    const first = client.callTool({ name: 'done', arguments: arguments_ }, { signal: patience.signal });
    await readFile(started);
    patience.abort();
    await expect(first).rejects.toThrow();
    const again = callTool(client, 'done', arguments_);
    await writeFile(go, '');
    const text =
      'Recorded. Task 1 is done; its receipt is ralph://tasks/1/receipt. Call next_task for the next one.';
    const told = `Task 1 was closed by your earlier done; this call added nothing. The result of that was: ${text}`;
    expect(await again).toEqual({ isError: false, text: told });
    expect((await callTool(client, 'partial', { summary: 'a', remaining: 'b' })).text).toBe(told);
    expect(readFileSync(join(project.home, 'runs'), 'utf8')).toBe('run\n');
  });

  it('cannot have a done proven by gates that nobody trusts, and nothing is recorded', async () => {
    const project = await initialised({ git: false });
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      'gates: [{ name: test, command: "touch executed" }]\n',
    );
    await project.json('add', 'First');
    const client = await connectWithin(project);
    await callTool(client, 'next_task');
    const answer = await callTool(client, 'done', { summary: 'Trust me.' });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not trusted yet.*ralph trust/),
    });
    expect(answer.text).not.toContain('ecorded');
    expect(existsSync(join(project.root, 'executed'))).toBe(false);
    expect(await project.json('show', '1')).toMatchObject({ status: 'in_progress', receipt: null });
    expect((await callTool(client, 'partial', { summary: 'Built.', remaining: 'Proof.' })).text).toContain(
      'Task 1 is pending.',
    );
  });

  it('a client of its own takes over what a dead client left, by its number too, and nothing that a supervisor launched', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const dead = rawServer(project);
    dead.send(initialize(1));
    dead.send(toolCall(2, 'next_task', {}));
    await dead.answer(2);
    dead.child.kill('SIGKILL');
    await dead.exited;
    const queue = await queueOf(project);
    const run_id = await startRun(queue, { pid: 2 ** 30, process_started: null });
    await claim(queue, { run_id, session_id: 'launched' });
    await record(queue, { session_id: 'launched', call_id: null, signal: { verb: 'done', summary: 'x' } });
    const client = await connectWithin(project);
    expect((await callTool(client, 'next_task', { id: 1 })).text).toContain('## Your task: #1 One');
    expect(await project.json('show', '2')).toMatchObject({ status: 'in_progress' });
  });

  it('a client of its own leaves alone what a dead client holds in another work tree, and names the folder', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
        cwd: project.root,
      });
    git('commit', '-q', '--allow-empty', '-m', 'Start');
    const linked = join(project.root, '..', 'linked');
    git('worktree', 'add', '-q', linked);
    const queue = await queueOf(project);
    const run_id = await startRun(queue, { pid: 2 ** 30, process_started: null }, 'interactive');
    await claim(queue, { run_id, session_id: 'there', root: linked });
    const client = await connectWithin(project);
    expect(await callTool(client, 'next_task', { id: 1 })).toMatchObject({
      isError: true,
      text: `Task 1 is not ready: it is held by session there. Its process is gone; the next ralph run in ${linked} finishes it. Take another.`,
    });
    expect((await callTool(client, 'next_task')).text).toContain('## Your task: #2 Two');
    expect(await project.json('show', '1')).toMatchObject({ status: 'in_progress' });
    rmSync(linked, { recursive: true });
    await callTool(client, 'stuck', { reason: 'no' });
    expect((await callTool(client, 'next_task', { id: 1 })).text).toContain('## Your task: #1 One');
  });

  it('whose prompt cannot be written gives the task back', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    mkdirSync(join(project.root, '.ralph/recipes'));
    writeFileSync(join(project.root, '.ralph/recipes/task_execution.yaml'), 'of: [x]\n');
    const client = await connectWithin(project);
    expect(await callTool(client, 'next_task')).toMatchObject({
      isError: true,
      text: expect.stringContaining('unknown key "of"'),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('that cannot show the question is told that it is stored', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    const client = await connectWithin(project, {
      era: 'legacy',
      capabilities: { elicitation: { form: {} } },
    });
    client.setRequestHandler('elicitation/create', async () => {
      throw new Error('no dialog here');
    });
    await callTool(client, 'next_task');
    expect(await callTool(client, 'ask', { question: 'Which?', blocking: false })).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^Recorded as question 1; the person did not answer it now\. Go on/),
    });
  });

  it('cannot answer a question of another task by sending its number back', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    const queue = await queueOf(project);
    const run_id = await startRun(queue, { pid: process.pid, process_started: null });
    await claim(queue, { run_id, session_id: 'other' });
    const signal = { verb: 'ask', question: 'Whose?', blocking: true } as const;
    await record(queue, { session_id: 'other', call_id: null, signal });
    await project.json('add', 'Second');
    const server = rawServer(project);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const call = (id: number, name: string, more: object) =>
      server.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, _meta: meta, ...more } });
    call(1, 'next_task', { arguments: {} });
    expect(JSON.stringify(await server.answer(1))).toContain('#2 Second');
    call(2, 'ask', {
      arguments: { question: 'Mine?', blocking: true },
      requestState: '1',
      inputResponses: { answer: { action: 'accept', content: { answer: 'forged' } } },
    });
    expect(JSON.stringify(await server.answer(2))).toContain('to no question of the task you hold');
    expect(await project.json('show', '1')).toMatchObject({ questions: [{ answer: null }] });
  });

  it.each(ERAS)('a client of its own is asked on the spot, and the answer is stored (%s)', async (era) => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    const client = await connectWithin(project, { era, capabilities: { elicitation: { form: {} } } });
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      return { action: 'accept', content: { answer: 'address' } };
    });
    await callTool(client, 'next_task');
    const { text } = await callTool(client, 'ask', {
      question: 'By account or by address?',
      blocking: true,
      options: ['account', 'address'],
    });
    expect(asked).toMatchObject([{ message: 'By account or by address?' }]);
    expect(text).toBe('Recorded. The person answers: address\n\nGo on with that.');
    expect(await project.json('show', '1')).toMatchObject({
      questions: [{ id: 1, question: 'By account or by address?', answer: 'address' }],
    });
  });

  it.each(ERAS)('that will not answer leaves the question open (%s)', async (era) => {
    const project = await initialised({ git: false });
    await project.json('add', 'First');
    const client = await connectWithin(project, { era, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'cancel' }));
    await callTool(client, 'next_task');
    const { text } = await callTool(client, 'ask', { question: 'Which?', blocking: true });
    expect(text).toBe(
      'Recorded as question 1; the person did not answer it now. Now call partial with what remains.',
    );
    expect(await project.json('show', '1')).toMatchObject({ questions: [{ answer: null }] });
    expect((await callTool(client, 'partial', { summary: 'a', remaining: 'b' })).text).toContain(
      'needs_input',
    );
  });
});

describe('planning', () => {
  it('planning changes the given fields of a feature or discipline, but none that a file gives', async () => {
    const project = await initialised();
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features: [{ name: auth, description: Ours }]',
    );
    const client = await connectWithin(project);
    await callTool(client, 'create_feature', { name: 'orders', description: 'Old', context_files: ['a.ts'] });
    const change = { name: 'orders', description: 'New', status: 'planned' };
    expect(await callTool(client, 'update_feature', change)).toMatchObject({ isError: false });
    expect(await project.json('feature', 'show', 'orders')).toMatchObject({
      description: 'New',
      status: 'planned',
      context_files: ['a.ts'],
    });
    await callTool(client, 'create_discipline', { name: 'data', skills: ['SQL'] });
    await callTool(client, 'update_discipline', { name: 'data', conventions: 'Short queries.' });
    expect(await project.json('discipline', 'show', 'data')).toMatchObject({
      skills: ['SQL'],
      conventions: 'Short queries.',
    });
    const refused: [string, object, string][] = [
      ['update_feature', { name: 'auth', description: 'Mine' }, 'defined in .ralph/features.yaml'],
      ['update_feature', { name: 'order', description: 'x' }, 'did you mean "orders"?'],
      ['update_feature', { name: 'orders', status: 'done' }, 'not one of planned, active, deprecated'],
      ['update_discipline', { name: 'backend', skills: [] }, 'defined in .ralph/disciplines.yaml'],
    ];
    for (const [tool, input, message] of refused) {
      const { isError, text } = await callTool(client, tool, { ...input });
      expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
    }
  });

  it('planning creates features and tasks that depend on each other by title, as drafts, all or none', async () => {
    const project = await initialised();
    const client = await connectWithin(project);
    expect((await callTool(client, 'create_feature', { name: 'orders', priority: 1 })).isError).toBe(false);
    const tasks = [
      { title: 'Create the table', feature: 'orders' },
      { title: 'List orders', feature: 'orders', depends_on: ['Create the table'] },
    ];
    expect((await callTool(client, 'create_tasks', { tasks })).text).toBe(
      'Added as drafts:\n#1 Create the table\n#2 List orders',
    );
    expect(await project.json('list')).toMatchObject([
      { id: 1, status: 'draft', provenance: 'agent' },
      { id: 2, status: 'draft', depends_on: [1] },
    ]);
    const refused: [unknown, RegExp][] = [
      [[{ title: 'New' }, { title: 'List orders' }], /Task 2 .* already has the title/],
      [[{ title: 'New' }, { title: 'New' }], /twice/],
      [[{ title: 'New', depends_on: ['Nowhere'] }], /no task of the batch/],
      [[{ title: 'New', depends_on: ['@2'] }], /no task of the batch/],
      [[{ title: 'New', depends_on: ['@1'] }], /cannot depend on itself/],
      [
        [
          { title: 'A', depends_on: ['B'] },
          { title: 'B', depends_on: ['A'] },
        ],
        /cycle/,
      ],
      [[{ title: 'New', feature: 'order' }], /did you mean "orders"/],
    ];
    for (const [batch, message] of refused)
      expect(await callTool(client, 'create_tasks', { tasks: batch })).toMatchObject({
        isError: true,
        text: expect.stringMatching(message),
      });
    expect(await project.json('list')).toHaveLength(2);
  });

  it('enriches a draft into the queue, or leaves it a draft', async () => {
    const project = await initialised();
    await project.json('add', 'One', '--draft');
    await project.json('add', 'Two', '--draft');
    const client = await connectWithin(project);
    await callTool(client, 'enrich_task', { id: 1, pseudocode: '1. Do it.', estimated_turns: 5 });
    await callTool(client, 'enrich_task', { id: 2, description: 'Done already.', keep_draft: true });
    expect(await project.json('list')).toMatchObject([
      { status: 'pending', pseudocode: '1. Do it.', enriched_at: expect.any(Number) },
      { status: 'draft', description: 'Done already.' },
    ]);
  });

  it('planning changes tasks, decides about them, answers questions and keeps learnings', async () => {
    const project = await initialised();
    await project.json('add', 'One', '--draft');
    const client = await connectWithin(project);
    await callTool(client, 'update_task', { id: 1, title: 'Uno', priority: 'high' });
    expect((await callTool(client, 'set_task_status', { id: 1, status: 'pending' })).text).toBe(
      'Task 1 is pending.',
    );
    expect((await callTool(client, 'set_task_status', { id: 1, status: 'skipped' })).text).toBe(
      'Task 1 is skipped.',
    );
    expect(await callTool(client, 'set_task_status', { id: 1, status: 'done' })).toMatchObject({
      isError: true,
    });
    expect((await callTool(client, 'list_tasks', {})).text).toBe('#1 Uno (skipped, high)');
    expect((await callTool(client, 'append_learning', { text: 'UTC.', kind: 'convention' })).text).toBe(
      'Kept.',
    );
    expect((await callTool(client, 'append_learning', { text: 'UTC', kind: 'convention' })).text).toContain(
      'known already',
    );
    expect(await callTool(client, 'answer_question', { id: 9, answer: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no question 9'),
    });
    expect((await callTool(client, 'create_discipline', { name: 'data' })).isError).toBe(false);
    expect(await callTool(client, 'create_discipline', { name: 'data' })).toMatchObject({ isError: true });
  });

  it('planning lists tasks by pages and by tag', async () => {
    const project = await initialised();
    const client = await connectWithin(project);
    const tasks = Array.from({ length: 5 }, (_, index) => ({
      title: `Task number ${index}`,
      tags: index === 4 ? ['last'] : [],
    }));
    await callTool(client, 'create_tasks', { tasks, draft: false });
    const first = await callTool(client, 'list_tasks', { limit: 3 });
    expect(first.text).toContain('There are more: call again with after 3.');
    expect((await callTool(client, 'list_tasks', { limit: 3, after: 3 })).text.split('\n')).toHaveLength(2);
    expect((await callTool(client, 'list_tasks', { tag: 'last' })).text).toBe(
      '#5 Task number 4 (pending, medium)',
    );
  });
});

it('gives a reviewer two tools, and keeps what it said', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const { env } = await claimed(project, 'reviewed', 'opus_review');
  const client = await connectWithin(project, { env });
  // While it is at work nobody may judge it, least of all itself.
  expect(await callTool(client, 'approve')).toMatchObject({ isError: true });
  const closing = await queueOf(project);
  const { closeToSignals } = await import('../../src/store/sessions/sessions.ts');
  await closing.store.write((db) => closeToSignals(db, 'reviewed', 1));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['approve', 'request_changes']);
  expect((await callTool(client, 'request_changes', { changes: '1. A test.' })).text).toBe(
    'Recorded. This session may end now.',
  );
  const queue = await queueOf(project);
  const { sessionReviews } = await import('../../src/queue/sessions/review.ts');
  expect(await sessionReviews(queue, 'reviewed')).toEqual([{ approved: false, text: '1. A test.' }]);
});

it('does not have the tools of others', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const { env } = await claimed(project, 'bound-8');
  const client = await connectWithin(project, { env });
  await expect(client.callTool({ name: 'create_tasks', arguments: {} })).rejects.toThrow(
    /no tool "create_tasks"/,
  );
});
