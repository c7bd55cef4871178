// Ways to end a run from outside. Whichever it is, nothing of its session goes on, and the task is charged nothing.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { findCarriers, killCarriers, type Marker } from '../../src/host/processes/reap.ts';
import { initialize, toolCall } from '../support/mcp.ts';
import type { TestProject } from '../support/ralph.ts';
import { ANNOUNCES, HANGS, isThere, runUntilAtWork, watcherOf } from '../support/running.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

async function hanging(): Promise<TestProject> {
  const { project } = await scripted({ 1: [[HANGS], [done()]], 2: [[done()]] });
  await project.json('add', 'One');
  await project.json('add', 'Two');
  return project;
}

async function expectSettled(project: TestProject): Promise<void> {
  expect(await project.json('show', '1')).toMatchObject({
    status: 'pending',
    attempts: 0,
    stuck_count: 0,
    sessions: [{ outcome: 'interrupted' }],
  });
  expect(await project.json('show', '2')).toMatchObject({ status: 'pending', sessions: [] });
  expect(await project.json('status')).toMatchObject({ runs: [] });
}

describe('a run that is ended from outside', () => {
  it.each(['SIGHUP', 'SIGQUIT', 'SIGABRT'] as const)(
    'a run that gets %s settles its session and leaves nothing of the agent',
    async (signal) => {
      const project = await hanging();
      const { child, marker, watcher, ended } = await runUntilAtWork(project);
      child.kill(signal);
      expect(await ended).toEqual([130, null]);
      expect(findCarriers(marker)).toEqual([]);
      await expect.poll(() => isThere(watcher)).toBe(false);
      await expectSettled(project);
    },
  );

  it('a run settles its session when its output is closed', async () => {
    const waits = shell(`${ANNOUNCES}; until [ -e ~/gone ]; do sleep 0.05; done`);
    const { project } = await scripted({
      1: [[waits, { says: 'Still here.', shell: 'sleep 600' }]],
      2: [[done()]],
    });
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const { child, marker, ended } = await runUntilAtWork(project, { stdio: ['ignore', 'pipe', 'pipe'] }, [
      process.execPath,
      inject('ralph'),
      'run',
      '--json',
    ]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    writeFileSync(join(project.home, 'gone'), '');
    expect(await ended).toEqual([130, null]);
    expect(findCarriers(marker)).toEqual([]);
    await expectSettled(project);
  });

  it.skipIf(!existsSync('/usr/bin/script'))(
    'a run settles its session when its terminal is closed',
    async () => {
      const project = await hanging();
      const ralph = `${process.execPath} ${inject('ralph')} run`;
      const terminal = ['/usr/bin/script', '-qec', ralph, '/dev/null'];
      const { child, pid, marker, ended } = await runUntilAtWork(
        project,
        { stdio: ['pipe', 'ignore', 'ignore'] },
        terminal,
      );
      // The terminal itself is gone at once: what the run writes from here on fails.
      child.kill('SIGKILL');
      await ended;
      await expect.poll(() => isThere(pid)).toBe(false);
      expect(findCarriers(marker)).toEqual([]);
      await expectSettled(project);
    },
  );
});

it('a done that its agent says after the second Ctrl-C does not count', async () => {
  const { project } = await scripted({});
  const script = join(project.home, 'late.sh');
  const lines = [initialize(1), { jsonrpc: '2.0', method: 'notifications/initialized' }];
  const late = [...lines, toolCall(2, 'done', { summary: 'Late.' })].map((line) => JSON.stringify(line));
  writeFileSync(join(project.home, 'late.jsonl'), `${late.join('\n')}\n`);
  writeFileSync(
    script,
    `trap '"${process.execPath}" "${inject('ralph')}" serve < "${project.home}/late.jsonl"; exit' TERM
echo work > work.txt; ${ANNOUNCES}; while :; do sleep 0.05; done`,
  );
  const command = JSON.stringify(['sh', script]);
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    `agent: late\nagents: { late: { command: ${command} } }\n`,
  );
  await project.json('trust', '--yes');
  await project.json('add', 'One');
  const { child, ended } = await runUntilAtWork(project);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended).toEqual([130, null]);
  expect(await project.json('show', '1')).toMatchObject({
    status: 'pending',
    attempts: 0,
    sessions: [{ outcome: 'interrupted' }],
  });
});

describe('a supervisor that is killed', () => {
  it.each([
    ['', (pid: number) => pid],
    [' with its process group', (pid: number) => -pid],
  ])('the session of a killed supervisor ends by itself%s', async (_, victim) => {
    const project = await hanging();
    const { pid, marker, watcher, ended } = await runUntilAtWork(project, { detached: true });
    process.kill(victim(pid), 'SIGKILL');
    await ended;
    await expect.poll(() => findCarriers(marker)).toEqual([]);
    await expect.poll(() => isThere(watcher)).toBe(false);
    expect(await project.ralph('run', '--once')).toMatchObject({
      stdout: expect.stringContaining('#1 of a run that died is queued (interrupted)'),
    });
  });

  it('the gate of a killed supervisor ends by itself', async () => {
    const { project, config } = await scripted({ 1: [[shell('touch built'), done()]] });
    const file = join(project.home, 'id');
    const gate = `setsid sleep 600 >/dev/null 2>&1 & echo $RALPH_GATE_ID > ${file}; while :; do sleep 0.05; done`;
    await config(`gates: [{ name: test, command: "test ! -e built || { ${gate}; }" }]\n`);
    await project.json('add', 'One');
    const env = { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
    const child = spawn(process.execPath, [inject('ralph'), 'run'], {
      cwd: project.root,
      env,
      stdio: 'ignore',
    });
    const idOf = (): string => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');
    await expect.poll(idOf).not.toBe('');
    const marker: Marker = `RALPH_GATE_ID=${idOf()}`;
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await killCarriers(marker);
    });
    expect(findCarriers(marker).length).toBeGreaterThan(1);
    const watcher = watcherOf(child.pid ?? 0);
    child.kill('SIGKILL');
    await expect.poll(() => findCarriers(marker)).toEqual([]);
    await expect.poll(() => isThere(watcher)).toBe(false);
  });
});
