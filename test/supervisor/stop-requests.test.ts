// Somebody in another process asks a run to stop: it does as if they had pressed Ctrl-C where it runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { isAlive } from '../../src/host/processes/process-identity.ts';
import { databasePath, findProject } from '../../src/host/project.ts';
import { changesSince, closeQueue, openQueue } from '../../src/queue/queue.ts';
import { report } from '../../src/queue/sessions/report.ts';
import { requestStop } from '../../src/queue/sessions/request-stop.ts';
import { savePark, startRun } from '../../src/queue/sessions/runs.ts';
import { watchStopRequests } from '../../src/supervisor/stop-requests.ts';
import { openTestQueue } from '../support/queue.ts';
import type { TestProject } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

type Running = { child: ChildProcess; said: { out: string; err: string }; ended: Promise<unknown[]> };

function runOf({ root, home }: TestProject, ...args: string[]): Running {
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [inject('ralph'), 'run', ...args], { cwd: root, env });
  const ended = once(child, 'close');
  // Two: a test that fails half-way must leave neither the run nor its session, and the same signal twice could be one.
  onTestFinished(async () => {
    if (child.exitCode === null) for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal);
    await ended;
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said.err += text));
  return { child, said, ended };
}

it('a stop request ends the session at once, lets it end first, or ends a wait, and no other session begins', async () => {
  const waitFor = (file: string) =>
    shell(`touch ~/${file}.began; while [ ! -e ~/${file} ]; do sleep 0.05; done`);
  const { project } = await scripted({ 1: [[waitFor('never')], [waitFor('go'), done()]], 2: [[done()]] });
  await project.json('add', 'One', '--priority', 'high');
  await project.json('add', 'Two');
  const queue = await openQueue(databasePath(findProject(project.root).stateDir), Date.now, 'ui');
  onTestFinished(() => closeQueue(queue));
  const exists = (file: string) => () => existsSync(join(project.home, file));

  const first = runOf(project);
  await expect.poll(exists('never.began')).toBe(true);
  await requestStop(queue, 1, 'now', isAlive);
  expect(await first.ended).toEqual([130, null]);
  expect(await project.json('show', '1')).toMatchObject({
    status: 'pending',
    attempts: 0,
    stuck_count: 0,
    sessions: [{ outcome: 'interrupted' }],
  });

  const second = runOf(project);
  await expect.poll(exists('go.began')).toBe(true);
  await requestStop(queue, 2, 'after', isAlive);
  await expect.poll(() => second.said.err).toContain('Stopping after this session');
  writeFileSync(join(project.home, 'go'), '');
  expect(await second.ended).toEqual([130, null]);
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  expect(second.said.out).toContain('You stopped it. Resume it: ralph run.');

  await savePark(queue, 2, { agent: 'scripted', until: Date.now() + 3_600_000 });
  const third = runOf(project, '--wait');
  await expect.poll(() => third.said.out).toContain('usage limit; trying again at');
  await requestStop(queue, 3, 'after', isAlive);
  expect(await third.ended).toEqual([130, null]);
  expect(await project.json('show', '2')).toMatchObject({ status: 'pending', sessions: [] });

  for (const run of [1, 2]) expect((await report(queue, run)).run.stop_reason).toBe('stopped');
  // Each change has come through the door of whoever made it.
  const doors = new Map((await changesSince(queue, 0)).map(({ kind, via }) => [kind, via]));
  expect(Object.fromEntries(doors)).toMatchObject({
    'task.added': 'cli',
    'signal.recorded': 'mcp',
    'run.stop_asked': 'ui',
    'run.ended': 'cli',
  });
});

it('after a stop request a Ctrl-C counts as the second, and polling goes on after an error', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await requestStop(queue, run_id, 'after', () => true);
  let looks = 0;
  const store: typeof queue.store = {
    ...queue.store,
    read: (work) => (++looks === 1 ? Promise.reject(new Error('busy')) : queue.store.read(work)),
  };
  const pressed = { after: new AbortController(), now: new AbortController() };
  const stops = watchStopRequests(
    { ...queue, store },
    { after: pressed.after.signal, now: pressed.now.signal },
    1,
  );
  stops.listen(run_id);
  await once(stops.after, 'abort');
  expect(stops.now.aborted).toBe(false);
  pressed.after.abort();
  expect(stops.now.aborted).toBe(true);
  await stops.close();
});

it('a run that is opened after the person pressed Ctrl-C stops, and how often they pressed it counts', async () => {
  const queue = await openTestQueue();
  const pressed = { after: new AbortController(), now: new AbortController() };
  const signals = { after: pressed.after.signal, now: pressed.now.signal };
  pressed.after.abort();
  const first = watchStopRequests(queue, signals);
  expect([first.after.aborted, first.now.aborted]).toEqual([true, false]);
  pressed.now.abort();
  expect(first.now.aborted).toBe(true);
  const second = watchStopRequests(queue, signals);
  expect([second.after.aborted, second.now.aborted]).toEqual([true, true]);
});
