// What Claude Code shows of a project: the status line, and what the hooks of the plugin say.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withExistingQueue } from '../../../src/cli/claude-code/read-project.ts';
import { findProject } from '../../../src/host/project.ts';
import { readStoredLine, storeLine, storeSummary } from '../../../src/host/status-line.ts';
import { readFolder, readLine } from '../../../src/statusline.ts';
import { connectWithin } from '../../support/mcp.ts';
import { initialised, runWithin, type TestProject, testProject } from '../../support/ralph.ts';
import { tempDir } from '../../support/temp.ts';

const say = ({ home, root }: TestProject, args: string[], input: object, env = {}) =>
  runWithin(args, {
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'], ...env },
    stdin: JSON.stringify({ cwd: root, ...input }),
  });

it('a stored status line holds until a task changes, and never beyond half a minute', async () => {
  const project = await initialised();
  const { stateDir } = findProject(project.root);
  const stored = (after = 0) => readStoredLine(stateDir, Date.now() + after);
  expect((await project.within('statusline')).stdout).toBe('ralph: no tasks yet\n');
  expect(stored()).toBe('ralph: no tasks yet');
  await project.json('add', 'One');
  expect(stored()).toBeNull();
  expect((await project.within('statusline')).stdout).toBe('ralph 0/1 done · 1 ready\n');
  expect(stored()).toBe('ralph 0/1 done · 1 ready');
  expect(readLine(project.root, Date.now())).toBe('ralph 0/1 done · 1 ready');
  expect(stored(31_000)).toBeNull();
  // A clock that was set back must not keep it for ever.
  expect(stored(-3_600_000)).toBeNull();
});

it('a status line that was read before the database changed is not stored in place of a newer one', async () => {
  const project = await initialised();
  const { root, stateDir } = findProject(project.root);
  const context = { project: root, cwd: root, env: {}, now: Date.now };
  const before = await withExistingQueue(context, async (_, { stamp }) => {
    await project.json('add', 'One');
    return stamp;
  });
  expect(before).not.toBeNull();
  const store = () => storeLine(stateDir, before ?? '', 'ralph: no tasks yet', Date.now());
  await store();
  expect(readStoredLine(stateDir, Date.now())).toBeNull();
  await project.within('statusline');
  await store();
  expect(readStoredLine(stateDir, Date.now())).toBe('ralph 0/1 done · 1 ready');
});

it('a stored status line that holds more than words is not shown', async () => {
  const project = await initialised();
  await project.within('statusline');
  const file = join(findProject(project.root).stateDir, 'statusline.json');
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  for (const text of ['\u001b]0;owned\u0007', 'a\nb', 7, null]) {
    writeFileSync(file, JSON.stringify({ ...stored, text }));
    expect(readLine(project.root, Date.now())).toBeNull();
  }
});

it('the folder of the status line is the one that Claude Code names', () => {
  const file = join(tempDir(), 'input');
  const read = (input: string) => {
    writeFileSync(file, input);
    return readFolder(file);
  };
  expect(read('{"cwd":"/a/b","workspace":{"project_dir":"/a","current_dir":"/a/b"}}')).toBe('/a');
  expect(read('{"cwd":"/a/b"}')).toBe('/a/b');
  for (const strange of ['', 'text', '[]', '{"workspace":7}', '{"cwd":null}'])
    expect(read(strange)).toBeNull();
});

it('outside of a project, and where no queue is yet, nothing is said and nothing is made', async () => {
  const project = testProject();
  for (const args of [['statusline'], ['hook', 'session-start'], ['hook', 'stop']])
    expect(await say(project, args, {})).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(existsSync(join(project.root, '.git/ralph'))).toBe(false);
});

it('a session starts with what needs the person, and a session of Ralph itself with nothing', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  await project.json('add', 'Later', '--draft');
  const start = ['hook', 'session-start'];
  expect(JSON.parse((await say(project, start, {})).stdout)).toEqual({
    systemMessage: 'Ralph: needs you: 1 draft (/ralph:status); 1 task ready (/ralph:work)',
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: "Ralph's queue: needs you: 1 draft (/ralph:status); 1 task ready (/ralph:work)",
    },
  });
  expect((await say(project, start, {}, { RALPH_SESSION_ID: 's' })).stdout).toBe('');
});

it('a turn ends with a task at work only after one reminder', async () => {
  const project = await initialised({ git: false });
  await project.json('add', 'One');
  const client = await connectWithin(project);
  const taken = await client.callTool({ name: 'next_task', arguments: {} });
  const transcript = join(project.home, 'transcript.jsonl');
  const use = { type: 'tool_use', id: 'a', name: 'mcp__plugin_ralph_ralph__next_task' };
  const answer = { type: 'tool_result', tool_use_id: 'a', content: taken.content };
  const lines = [use, answer].map((block) => `${JSON.stringify({ message: { content: [block] } })}\n`);
  writeFileSync(transcript, lines.join(''));
  const stop = async (more = {}) =>
    (await say(project, ['hook', 'stop'], { transcript_path: transcript, ...more })).stdout;
  expect(JSON.parse(await stop())).toEqual({
    decision: 'block',
    reason: expect.stringMatching(/^Task 1 is still yours and has no closing verb\. Call done/),
  });
  expect(await stop({ stop_hook_active: true })).toBe('');
  expect(await stop({ transcript_path: join(project.home, 'nothing') })).toBe('');
  await client.callTool({ name: 'partial', arguments: { summary: 'Half.', remaining: 'Half.' } });
  expect(await stop()).toBe('');
});

it('a queue on PostgreSQL is shown as this machine last read it, and no connection is made', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const { stateDir } = findProject(project.root);
  // A server that never answers, and the file that the queue left behind, with numbers of then.
  const address = 'postgres://ralph@192.0.2.1:5432/ralph?schema=shop';
  writeFileSync(join(stateDir, 'database.json'), JSON.stringify({ address }), { mode: 0o600 });
  const line = async (): Promise<string> => (await project.within('statusline')).stdout;
  const start = async (): Promise<string> => (await say(project, ['hook', 'session-start'], {})).stdout;
  expect(await line()).toBe('ralph: shared queue, see ralph status\n');
  expect(await start()).toBe('');
  const counts = {
    ready: 4,
    running: 2,
    done: 1,
    total: 9,
    questions: 1,
    flags: 0,
    failed: 0,
    blocked: 0,
    drafts: 0,
  };
  await storeSummary(stateDir, counts, Date.now());
  expect(await line()).toBe('ralph 1/9 done · 2 running · 4 ready · needs you: 1 question\n');
  expect(await start()).toContain('needs you: 1 question (/ralph:status); 4 tasks ready');
  await storeSummary(stateDir, counts, Date.now() - 20 * 60_000);
  expect(await line()).toBe('ralph 1/9 done · 2 running · 4 ready · needs you: 1 question · 20 min ago\n');
  writeFileSync(join(stateDir, 'shared-summary.json'), '{"at":1,"summary":{"ready":"\\u001b]0;x"}}');
  expect(await line()).toBe('ralph: shared queue, see ralph status\n');
});
