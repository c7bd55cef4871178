// Sessions that another machine ran, as the commands and the dashboard of this one show them.
import { expect, it } from 'vitest';
import { withQueue } from '../../src/app/open-project.ts';
import { uiBackend } from '../../src/app/ui-backend.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { identify } from '../../src/host/processes/process-identity.ts';
import { databasePath, findProject } from '../../src/host/project.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { saveChunks } from '../../src/queue/sessions/artifacts.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import type { UiBackend } from '../../src/ui/backend.ts';
import { gateLog } from '../../src/ui/views/gates.ts';
import { session, sessionEntries } from '../../src/ui/views/session.ts';
import { sessionPrompt } from '../../src/ui/views/task.ts';
import { EXITED, effectsWith, gateResult, LIMITS } from '../support/queue.ts';
import { initialised, type TestProject, worldFor } from '../support/ralph.ts';

const STREAM = `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'I look around.' }] } })}\n`;
const LOG = '/home/other/shop/.git/ralph/sessions/f00d-1/gates/test.log';

/** The database has what the session left; this machine has no file of it. */
async function projectOfFleet(): Promise<TestProject> {
  const project = await initialised();
  await project.json('add', 'Build it');
  const queue = await openQueue(databasePath(findProject(project.root).stateDir));
  const run_id = await startRun(queue, { pid: 1, process_started: 'other', host: 'build-2', boot: 'other' });
  await claim(queue, { run_id, session_id: 'f00d-1' });
  const files = {
    'stream.jsonl': STREAM,
    'stream.stderr': 'a warning\n',
    'prompt.md': 'The whole prompt.',
    'gates/test.log': '1 of 2 failed\n',
  };
  for (const [name, content] of Object.entries(files))
    await saveChunks(queue, 'f00d-1', [{ name, seq: 0, bytes: Buffer.from(content) }]);
  const effects = effectsWith({ ...gateResult(false), log: LOG });
  const signal = { verb: 'done', summary: 'Built.' } as const;
  await record(queue, { session_id: 'f00d-1', call_id: null, signal });
  const ended = { session_id: 'f00d-1', run_id, end: EXITED, usage: NO_USAGE, effects, limits: LIMITS };
  await finish(queue, ended);
  await closeQueue(queue);
  return project;
}

it('ralph log and ralph show lead to what another machine printed, without a path of that machine', async () => {
  const project = await projectOfFleet();
  const { stdout } = await project.within('log', 'f00d');
  expect(stdout).toContain('I look around.');
  expect(stdout).toContain('ralph log f00d-1 --gate test');
  expect(stdout).toContain('Standard error\n  a warning');
  expect(stdout).not.toContain('/home/other');
  expect((await project.within('log', 'f00d', '--gate', 'test')).stdout).toBe('1 of 2 failed\n');
  expect((await project.within('log', 'f00d', '--gate', 'lint')).stderr).toContain('it has had test.');
  expect((await project.within('show', '1')).stdout).toContain('ralph log f00d-1 --gate test');
});

it('the dashboard shows the transcript, prompt, errors and gate log of a session of another machine', async () => {
  const project = await projectOfFleet();
  const { root } = project;
  const world = worldFor(
    root,
    { HOME: project.home, PATH: process.env['PATH'] },
    { out: () => {}, err: () => {} },
  );
  const context = { ...world, project: root, asJson: true };
  const read = <T>(look: (backend: UiBackend) => Promise<T>): Promise<T> =>
    withQueue(context, (opened) => look(uiBackend(context, opened, true)));
  const closed = new AbortController().signal;
  const shown = await read((backend) => session.read(backend, { id: 'f00d' }, closed));
  expect(shown).toMatchObject({ missing: null, errors: 'a warning\n', gates_begun: 1, stream: { count: 1 } });
  const rows = await read((backend) =>
    sessionEntries.read(backend, { id: 'f00d', from: 0, count: 9 }, closed),
  );
  expect(rows).toMatchObject([{ line: 'I look around.' }]);
  const prompt = await read((backend) => sessionPrompt.read(backend, { id: 'f00d' }, closed));
  expect(prompt).toEqual({ prompt: 'The whole prompt.' });
  const log = await read((backend) => gateLog.read(backend, { id: 'f00d', name: 'test' }, closed));
  expect(log).toMatchObject({ text: '1 of 2 failed\n', isWhole: true });
});

it('a run that settles the session of another machine records what it cost, from the stream in the database', async () => {
  const project = await initialised();
  await project.json('add', 'Build it');
  const queue = await openQueue(databasePath(findProject(project.root).stateDir));
  const run_id = await startRun(queue, { ...identify(process.pid), process_started: 'gone' });
  await claim(queue, { run_id, session_id: 'f00d-2' });
  const usage = { input_tokens: 1200, output_tokens: 34 };
  const result = { type: 'result', subtype: 'success', num_turns: 5, total_cost_usd: 0.25, usage };
  const bytes = Buffer.from(`${JSON.stringify(result)}\n`);
  await saveChunks(queue, 'f00d-2', [{ name: 'stream.jsonl', seq: 0, bytes }]);
  await closeQueue(queue);
  await project.json('trust', '--yes');
  // There is no client, so nothing else happens.
  await project.within('run');
  expect(await project.json('log', 'f00d-2')).toMatchObject({
    session: { outcome: 'interrupted', usage: { turns: 5, cost_usd: 0.25, input_tokens: 1200 } },
  });
});
