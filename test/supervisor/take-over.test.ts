// A machine dies while gates judge its work: another one goes on from what the first had pushed to the remote.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { runWithin, WITHOUT_SANDBOX } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';
import '../support/skip-without-postgres.ts';

const SHARED = `land: { branch: main, remote: origin }
fleet: { lease_seconds: 2, heartbeat_seconds: 0.2 }
`;

it('a run lands the work that a dead machine had pushed, without a second session', async () => {
  const { project, git, config } = await scripted({ 1: [[shell('echo work > 1.txt'), done()]] });
  const { root, home } = project;
  const [begun, go] = [join(home, 'begun'), join(home, 'go')];
  const [bare, other] = [join(home, 'origin.git'), join(home, 'other')];
  const waits = `[ ! -e 1.txt ] || { touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done; }`;
  git('branch', '-M', 'main');
  git('remote', 'add', 'origin', bare);
  await config(`gates: [{ name: test, command: "${waits}" }]\n${SHARED}`);
  writeFileSync(join(root, '.ralph/tasks.yaml'), 'tasks: [{ id: 1, title: One }]\n');
  git('add', '-A');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Tasks');
  for (const [from, ...to] of [
    [root, '--bare', bare],
    [bare, other],
  ] as const)
    execFileSync('git', ['clone', '-q', from, ...to], { stdio: 'ignore' });
  const url = await testDatabase();
  const env = { HOME: home, PATH: process.env['PATH'], RALPH_DATABASE_URL: url, ...WITHOUT_SANDBOX };
  const machine = spawn(process.execPath, [inject('ralph'), 'run'], { cwd: root, env, stdio: 'ignore' });
  const dead = once(machine, 'exit');
  onTestFinished(() => {
    writeFileSync(go, '');
    machine.kill('SIGKILL');
  });
  await expect.poll(() => existsSync(begun)).toBe(true);
  machine.kill('SIGKILL');
  await dead;
  // Its processes cannot be looked up from the other machine, and its lease is over.
  const client = await postgresClient(new URL(url).pathname.slice(1));
  await client.query(`update ralph.runs set host = 'other', boot = 'other', pid_namespace = 'other',
    heartbeat = heartbeat - 60000, lease_until = lease_until - 60000`);
  writeFileSync(go, '');
  const printed = await runWithin(['trust', '--yes'], { cwd: other, env });
  expect(printed).toMatchObject({ code: 0 });
  expect(await runWithin(['run'], { cwd: other, env })).toMatchObject({ code: 0 });
  const shown = await runWithin(['show', '1', '--json'], { cwd: other, env });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    status: 'done',
    attempts: 0,
    sessions: [{ outcome: 'done' }],
  });
  expect(execFileSync('git', ['-C', bare, 'show', 'main:1.txt'], { encoding: 'utf8' })).toBe('work\n');
  expect(execFileSync('git', ['-C', bare, 'for-each-ref', '--format=%(refname)'], { encoding: 'utf8' })).toBe(
    'refs/heads/main\n',
  );
});
