import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { beginHold } from '../../src/host/definitions/accepted.ts';
import { landingLock } from '../../src/host/landing/landing-lock.ts';
import { identify } from '../../src/host/processes/process-identity.ts';
import { startRun, stopRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { cleanUpAfterDead, markOpen } from '../../src/supervisor/clean-up.ts';
import { queueOf } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

/** A run that has begun a session, and what it and its children could not put away. */
async function leftBy(pid: number) {
  const project = await initialised();
  await project.json('add', 'One');
  const { root, home } = project;
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
  const stateDir = join(root, '.git/ralph');
  const queue = await queueOf(project);
  const run_id = await startRun(queue, { pid, process_started: identify(pid).process_started });
  await claim(queue, { run_id, session_id: 's-1' });
  const files = {
    half: join(stateDir, 'sessions/s-1/prompt.md.1234.part'),
    lock: join(root, '.git/index.lock'),
  };
  mkdirSync(join(stateDir, 'sessions/s-1'), { recursive: true });
  for (const path of Object.values(files)) writeFileSync(path, '');
  return { queue, run_id, place: { root, env, stateDir }, files: Object.values(files) };
}

const recordName = (root: string): string =>
  `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`;

/** In a session of its own, as a server that a test started; found by what it carries. */
async function strayWith(marker: Record<string, string>) {
  const stray = spawn('sleep', ['600'], {
    detached: true,
    stdio: 'ignore',
    env: { ...marker, PATH: process.env['PATH'] },
  });
  onTestFinished(() => void stray.kill('SIGKILL'));
  const ended = once(stray, 'exit');
  await once(stray, 'spawn');
  return { stray, ended };
}

const deadPid = (): number => Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));

it('Ralph removes everything that a dead run left: agents, gates, locks, partial files', async () => {
  const { queue, run_id, place, files } = await leftBy(deadPid());
  const agent = await strayWith({ RALPH_SESSION_ID: 's-1' });
  const gate = await strayWith({ RALPH_GATE_OF: 's-1' });
  const before = await strayWith({ RALPH_BASELINE_OF: `${place.stateDir}#${run_id}` });
  await beginHold(place);
  const record = join(place.stateDir, 'accepted', `${recordName(place.root)}.1234.part`);
  writeFileSync(record, '');
  const elsewhere = await strayWith({ RALPH_BASELINE_OF: `/another#${run_id}` });
  await cleanUpAfterDead(queue, place);
  await Promise.all([agent.ended, gate.ended, before.ended]);
  expect(elsewhere.stray.exitCode ?? elsewhere.stray.signalCode).toBe(null);
  expect([...files, record].filter((path) => existsSync(path))).toEqual([]);
  expect(readdirSync(join(place.stateDir, 'sessions'))).toEqual(['s-1']);
});

it('Ralph removes nothing of a run that is alive', async () => {
  const { queue, place, files } = await leftBy(process.pid);
  const { stray } = await strayWith({ RALPH_SESSION_ID: 's-1' });
  await cleanUpAfterDead(queue, place);
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
  expect(stray.exitCode ?? stray.signalCode).toBe(null);
});

it('Ralph removes the locks of a run that another machine has ended, and of a landing that was killed', async () => {
  const { queue, run_id, place, files } = await leftBy(deadPid());
  const [, lock = ''] = files;
  const landing = landingLock(place);
  await stopRun(queue, run_id, 'lost');
  writeFileSync(landing, JSON.stringify({ pid: deadPid(), process_started: '1' }));
  await cleanUpAfterDead(queue, place);
  // Without a sign of a killed run, it may be the lock of a person.
  expect([existsSync(lock), existsSync(landing)]).toEqual([true, false]);
  await markOpen(place);
  writeFileSync(lock, '');
  await cleanUpAfterDead(queue, place);
  expect(existsSync(lock)).toBe(false);
});
