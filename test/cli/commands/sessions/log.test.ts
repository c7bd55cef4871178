import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { NO_USAGE, type SessionEnd } from '../../../../src/domain/sessions/session.ts';
import type { Signal } from '../../../../src/domain/sessions/signal.ts';
import { finish } from '../../../../src/queue/sessions/finish.ts';
import { record } from '../../../../src/queue/sessions/record.ts';
import { startRun } from '../../../../src/queue/sessions/runs.ts';
import { claim } from '../../../../src/queue/tasks/claim.ts';
import { type Worked, workedProject } from '../../../support/project-with-sessions.ts';
import { EXITED, effectsWith, gateResult, LIMITS } from '../../../support/queue.ts';
import { runRalph, runWithin } from '../../../support/ralph.ts';

const DONE: Signal = { verb: 'done', summary: 'Built.' };

async function end(
  { queue, run_id }: Worked,
  session_id: string,
  signals: readonly Signal[] = [DONE],
  {
    effects = effectsWith(),
    how = EXITED,
  }: { effects?: ReturnType<typeof effectsWith>; how?: SessionEnd } = {},
): Promise<void> {
  for (const signal of signals) await record(queue, { session_id, call_id: null, signal });
  const usage = {
    ...NO_USAGE,
    model: 'claude-haiku-4-5-20251001',
    turns: 3,
    input_tokens: 12_345,
    output_tokens: 678,
    cost_usd: 0.21,
  };
  await finish(queue, { session_id, run_id, end: how, usage, effects, limits: LIMITS });
}

const lines = (...said: object[]): string => said.map((line) => `${JSON.stringify(line)}\n`).join('');
const assistant = (...content: object[]) => ({ type: 'assistant', message: { content } });
const text = (text: string) => assistant({ type: 'text', text });
const answer = (content: string, is_error = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', content, is_error }] },
});

/** As on a terminal of that width. */
const on = ({ root, home }: Worked, columns: number, ...args: string[]) =>
  runWithin(args, { cwd: root, env: { HOME: home, PATH: process.env['PATH'] }, columns });

const longest = (shown: string): number => Math.max(...shown.split('\n').map((line) => [...line].length));

describe('ralph log', () => {
  it('ralph log lists the latest sessions, newest last, within 80 columns', async () => {
    const project = await workedProject('Write one', `Write two, ${'whose title is long '.repeat(10)}`);
    expect((await project.within('log')).stdout).toBe('No sessions yet; ralph run works on the queue.\n');
    await project.begin('11111111-aaaa');
    await end(project, '11111111-aaaa');
    await project.begin('22222222-bbbb');
    const { stdout } = await on(project, 80, 'log');
    expect(stdout).toMatch(
      /11111111 +#1 Write one +done +haiku-4-5 +3 +\$0.21 +now\n22222222 +#2 Write two, .*running/,
    );
    expect(longest(stdout)).toBeLessThanOrEqual(80);
    expect(await project.json('log')).toMatchObject([
      { id: '11111111-aaaa', outcome: 'done', title: 'Write one' },
      { id: '22222222-bbbb', outcome: null },
    ]);
    expect(await project.json('log', '--task', '1')).toMatchObject([{ task_id: 1 }]);
    expect(await project.json('log', '--run', '1', '--limit', '1')).toMatchObject([{ task_id: 2 }]);
    expect((await project.within('log', '--limit', '1')).stdout).toContain(
      '1 of 2 sessions. ralph log 22222222',
    );
    expect(longest((await on(project, 80, 'log', '--limit', '1')).stdout)).toBeLessThanOrEqual(80);
    expect(await project.within('log', '--run', '9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no run 9'),
    });
    expect(await project.within('log', '--task', '9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no task 9'),
    });
  });

  it('ralph log finds a session by any unique beginning of its id', async () => {
    const project = await workedProject('One', 'Two', 'Three');
    for (const id of ['abc', 'abc-1', 'abd-2']) {
      await project.begin(id, `said by ${id}\n`);
      await end(project, id);
    }
    expect((await project.within('log', 'abd')).stdout).toContain('said by abd-2');
    expect((await project.within('log', 'abc-')).stdout).toContain('said by abc-1');
    expect((await project.within('log', 'abc')).stdout).toContain('said by abc\n');
    const refused: [string, RegExp][] = [
      ['ab', /^ralph: "ab" is ambiguous: it matches abc and abc-1; give more characters\.\n$/],
      ['x', /^ralph: There is no session "x"; ralph log lists all sessions\.\n$/],
      ["a' or 1=1 --", /^ralph: There is no session/],
      ['ABC', /^ralph: There is no session/],
      ['', /^ralph: There is no session/],
    ];
    for (const [name, stderr] of refused)
      expect(await project.within('log', name)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
    expect((await project.within('complete', '--', 'log', '')).stdout).toContain('abd-2\t');
  });

  it('ralph log shows what a session did and reported, its gates and their logs', async () => {
    const project = await workedProject('Build it');
    const { folder } = await project.begin(
      'f00d-1',
      lines(
        {
          type: 'system',
          subtype: 'init',
          model: 'haiku',
          mcp_servers: [{ name: 'ralph', status: 'connected' }],
        },
        text('I look at the file, and then I change it, because that is what a careful engineer does first.'),
        assistant({ type: 'tool_use', name: 'Edit', input: { file_path: join(project.root, 'src/a.ts') } }),
        answer(['one', 'two', 'three', 'four', 'five'].join('\n')),
        assistant({ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }),
        answer(
          `${project.root}/src/a.ts: the first thing that is wrong is told to its end, however long it takes to say what it is`,
          true,
        ),
        {
          type: 'system',
          subtype: 'api_retry',
          attempt: 1,
          max_retries: 10,
          retry_delay_ms: 500,
          error_status: 529,
          error: 'overloaded',
        },
        assistant({ type: 'tool_use', name: 'mcp__ralph__done', input: { summary: 'Built.' } }),
        {
          type: 'result',
          subtype: 'success',
          num_turns: 3,
          total_cost_usd: 0.21,
          usage: { input_tokens: 12_345, output_tokens: 678 },
        },
      ),
    );
    writeFileSync(join(folder, 'stream.stderr'), 'a warning\n');
    const log = join(folder, 'gates/test.log');
    await end(project, 'f00d-1', [DONE], { effects: effectsWith({ ...gateResult(false), log }) });
    const { stdout } = await on(project, 80, 'log', 'f00d');
    expect(longest(stdout)).toBeLessThanOrEqual(80);
    expect(stdout.replace(/\d+-\d+-\d+ \d+:\d+, [\d.]+s/, 'TODAY, 1s')).toBe(`#1 Build it
session f00d-1, try 1, run 1
TODAY, 1s, gate failed
claude-haiku-4-5-20251001, 3 turns, 12k tokens in, 678 out, $0.21

started, model haiku

I look at the file, and then I change it, because that is what a careful
engineer does first.

▸ Edit src/a.ts
    one
    two
    three
    … 2 more lines, 23 characters in all
▸ Bash npm test
    ✗ src/a.ts: the first thing that is wrong is told to its end, however long
      it takes to say what it is
↻ the API refused (529 overloaded); try 1 of 10 in 0.5s
▸ ralph done Built.

■ ended  3 turns  12k tokens in, 678 out  $0.21

Reported
  done     Built.

Gates
  ✗ test failed, exit code 1, 0.0s
    .git/ralph/sessions/f00d-1/gates/test.log

Ended
  it exited with 0

Standard error
  .git/ralph/sessions/f00d-1/stream.stderr
`);
    expect(await project.json('log', 'f00d')).toMatchObject({
      session: { id: 'f00d-1', outcome: 'gate_failed' },
      signals: [DONE],
      gates: [{ name: 'test', log }],
      left_out: 0,
      entries: [
        { kind: 'started' },
        { kind: 'text' },
        { kind: 'tool', name: 'Edit' },
        { kind: 'answer', lines: 5 },
        { kind: 'tool' },
        { kind: 'answer', is_error: true },
        { kind: 'retry' },
        { kind: 'tool' },
        { kind: 'result', turns: 3 },
      ],
    });
  });

  it('ralph log prints no control sequence of a stream', async () => {
    const project = await workedProject('Build it');
    const evil = '\x1b]0;owned\x07\x1b[2J\r\u202e\u2066\x9b31m\u200b\x08';
    await project.begin(
      'e1',
      `${lines(
        { type: 'system', subtype: evil },
        { type: 'system', subtype: 'init', model: evil, mcp_servers: [{ name: evil, status: evil }] },
        { type: 'system', subtype: 'api_retry', error: evil },
        text(`a ${evil}\nb`),
        assistant(
          { type: 'thinking', thinking: evil },
          { type: 'tool_use', name: evil, input: { [evil]: evil } },
        ),
        answer(evil),
        { type: 'user', message: { content: evil } },
        { type: 'result', subtype: evil, is_error: true, result: evil },
      )}plain ${evil}\n{"broken ${evil}\n`,
    );
    await end(project, 'e1', [{ verb: 'stuck', reason: `stuck ${evil}`.replaceAll('\0', '') }]);
    const { code, stdout } = await on(project, 80, 'log', 'e1');
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/);
    expect(stdout).toContain('a ␛]0;owned␇␛[2J␍<U+202E>');
    for (const shown of ['plain ␛', '{"broken ␛', 'stuck ␛']) expect(stdout).toContain(shown);
  });

  it('ralph log reads lines of 10 MB and a file of 50 MB in less memory than the file takes', async () => {
    const project = await workedProject('Build it');
    const { stream } = await project.begin('b1');
    const file = createWriteStream(stream);
    for (let count = 0; count < 5; count++) {
      const huge = 'x'.repeat(10_000_000);
      if (!file.write(lines(count % 2 === 0 ? answer(huge) : text(huge)))) await once(file, 'drain');
    }
    file.end(lines(text('the end')));
    await finished(file);
    await end(project, 'b1');
    const env = { HOME: project.home, PATH: process.env['PATH'], NODE_OPTIONS: '--max-old-space-size=60' };
    const run = (...args: string[]) => runRalph(['log', 'b1', ...args], { cwd: project.root, env });
    const entries = await run('--json');
    expect(entries).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(entries.stdout).entries).toHaveLength(6);
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.length).toBeLessThan(100_000);
    expect(stdout).toContain('10M characters in all');
    expect(stdout).toContain('… 10M more characters');
    expect(stdout).toContain('the end');
  });

  it('ralph log says if a stream is missing or empty', async () => {
    const project = await workedProject('One', 'Two', 'Three');
    const { stream } = await project.begin('gone', 'x\n');
    await end(project, 'gone');
    rmSync(stream);
    await project.begin('quiet', '');
    await end(project, 'quiet', []);
    const run_id = await startRun(project.queue, { pid: process.pid, process_started: null }, 'interactive');
    await claim(project.queue, { run_id, session_id: 'client' });
    const shown = async (id: string) => (await project.within('log', id)).stdout;
    expect(await shown('gone')).toMatch(/Its stream is missing \(.*gone\/stream\.jsonl\)/);
    expect(await shown('quiet')).toMatch(/It printed nothing\.\n\nReported\n {2}nothing/);
    expect(await shown('client')).toContain('worked on it in an MCP client');
    expect(await project.json('log', 'gone')).toMatchObject({ stream: null, entries: [] });
  });
});

describe('ralph log --follow', () => {
  function follow({ root, home }: Worked, ...args: string[]): { child: ChildProcess; shown: () => string } {
    const child = spawn(process.execPath, [inject('ralph'), 'log', '--follow', ...args], {
      cwd: root,
      env: { HOME: home, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let all = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      all += part;
    });
    return { child, shown: () => all };
  }

  it('ralph log --follow prints new entries, also partial writes, until the session ends', async () => {
    const project = await workedProject('Build it');
    const { stream } = await project.begin('live-1');
    const { child, shown } = follow(project);
    await expect.poll(shown).toContain('session live-1');
    writeFileSync(stream, lines(text('first')));
    await expect.poll(shown).toContain('first\n');
    const second = lines(text('second'));
    appendFileSync(stream, second.slice(0, 20));
    appendFileSync(stream, second.slice(20));
    await expect.poll(shown).toContain('second\n');
    appendFileSync(stream, lines(text('third')));
    await end(project, 'live-1');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(shown()).toMatch(/third\n\nReported\n {2}done {5}Built\.\n\nEnded\n {2}it exited with 0\n$/);
    expect(await project.within('log', '--follow')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No session is running'),
    });
    expect((await project.within('log', 'live', '--follow')).stdout).toContain('third');
  });

  it('ralph log --follow --json prints one entry a line', async () => {
    const project = await workedProject('Build it');
    await project.begin('live-1', lines(text('first'), text('second')));
    await end(project, 'live-1');
    const { stdout } = await project.within('log', 'live', '--follow', '--json');
    expect(
      stdout
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ text: 'first' }, { text: 'second' }]);
  });

  it('ralph log --follow ends at Ctrl-C with exit code 130', async () => {
    const project = await workedProject('Build it');
    await project.begin('live-1', lines(text('first')));
    const { child, shown } = follow(project, 'live');
    await expect.poll(shown).toContain('first');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('ralph log --follow does not wait for a session whose process is gone', async () => {
    const project = await workedProject('Build it');
    const dead = spawn('true');
    await once(dead, 'close');
    const run_id = await startRun(project.queue, { pid: dead.pid ?? 0, process_started: 'long ago' });
    await claim(project.queue, { run_id, session_id: 'dead-1' });
    expect((await project.within('log', '--follow')).stdout).toContain('the next ralph run finishes it');
  });
});
