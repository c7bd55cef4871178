// One session of the real client for each level: it tries every attack, says done, and must not be believed.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { killCarriers } from '../../src/host/processes/reap.ts';
import { claudeEnv, scriptedModel, toolResults } from '../support/claude.ts';
import { initialised, run, runRalph } from '../support/ralph.ts';
import { itEncloses } from '../support/sandbox.ts';
import { ATTACKS, type AttackScene, type Level, SECRET } from './attacks.ts';

async function scene(): Promise<AttackScene & { project: Awaited<ReturnType<typeof initialised>> }> {
  // On a disk: sandboxes replace /dev, and with it what tests keep in memory.
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = '/var/tmp';
  const project = await initialised().finally(() => {
    process.env['TMPDIR'] = TMPDIR;
  });
  const built = join(project.home, '../built');
  cpSync(dirname(inject('ralph')), built, { recursive: true });
  symlinkSync(resolve('node_modules'), join(project.home, '../node_modules'));
  const { root, home } = project;
  const stateDir = join(root, '.git/ralph');
  const ralphState = join(home, '.local/state/ralph');
  // The supervisor has no TMPDIR.
  const runtime = join('/tmp', `ralph-${process.getuid?.() ?? 0}`, `other-${process.pid}`);
  const write = (path: string, text: string, mode = 0o600): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  write(join(home, '.ssh/id'), SECRET);
  write(join(home, '.bashrc'), '# mine\n');
  write(join(home, '.local/bin/proof-tool'), '#!/bin/sh\necho genuine\n', 0o755);
  write(join(ralphState, 'dashboard/page.json'), SECRET);
  write(join(stateDir, 'sessions/other/prompt.md'), SECRET);
  write(join(root, '.ralph/config.yaml'), CONFIG);
  mkdirSync(join(runtime, '..'), { recursive: true, mode: 0o700 });
  write(join(runtime, 'session-1/mcp.json'), SECRET);
  let isReached = false;
  const server = createServer((_, response) => {
    isReached = true;
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const victim = spawn('sleep', ['300'], { env: { RALPH_SESSION_ID: 'another' }, stdio: 'ignore' });
  onTestFinished(async () => {
    server.close();
    victim.kill('SIGKILL');
    rmSync(runtime, { recursive: true });
    await killCarriers('RALPH_SESSION_ID=another');
  });
  const { port } = server.address() as AddressInfo;
  const list = async (): Promise<{ id: number; status: string }[]> =>
    (await project.json('list')) as { id: number; status: string }[];
  return {
    project,
    ...{ root, home, stateDir, ralphState, runtime, port, ralph: join(built, 'ralph.js') },
    victim: { pid: victim.pid ?? 0, isAlive: () => victim.exitCode === null && victim.signalCode === null },
    wasReached: () => isReached,
    status: async (id) => (await list()).find((task) => task.id === id)?.status ?? 'missing',
    gateRows: async () => {
      const { openBetterSqlite } = await import('../../src/store/better-sqlite.ts');
      const database = openBetterSqlite(join(stateDir, 'ralph.db'), {});
      const rows = database.prepare('select name from gate_runs').all() as { name: string }[];
      database.close();
      return rows.map(({ name }) => name);
    },
  };
}

/** Red as soon as the work of the attacker is there. */
const CONFIG = `max_attempts: 1
gates:
  - { name: tool, command: proof-tool, expect: genuine }
  - { name: check, command: test ! -e attacked.txt }
`;

/** The guard looks at the words of a command: an agent that means it does not write them down. */
const unseen = (command: string): string =>
  `echo ${Buffer.from(command).toString('base64')} | base64 -d | bash`;

async function attack(level: Level): Promise<Record<string, string>> {
  const at = await scene();
  const { project, root, home } = at;
  const env = { HOME: home, PATH: process.env['PATH'] };
  await run('git', ['-C', root, 'add', '-A'], { cwd: root, env });
  await run(
    'git',
    ['-C', root, '-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Start'],
    { cwd: root, env },
  );
  await project.json('trust', '--yes');
  for (const title of ['Attack', 'Two', 'Three', 'Four']) await project.json('add', title);
  const model = await scriptedModel([
    { tool: 'Bash', input: { command: 'echo x > attacked.txt' } },
    ...ATTACKS.map(({ tool, command }) =>
      tool === 'Write'
        ? { tool, input: { file_path: command(at), content: 'forged' } }
        : { tool: 'Bash', input: { command: unseen(command(at)) } },
    ),
    { tool: 'mcp__ralph__done', input: { summary: 'All is well.' } },
  ]);
  const ran = await runRalph(['run', '--once'], {
    cwd: root,
    env: {
      ...claudeEnv(project, model),
      PATH: `${join(home, '.local/bin')}:${claudeEnv(project, model)['PATH']}`,
      RALPH_SANDBOX: level,
      KEPT_FROM_AGENTS: SECRET,
    },
  });
  const outputs = toolResults(model).slice(1);
  const outcomes: Record<string, string> = {};
  for (const [index, { name, succeeded }] of ATTACKS.entries())
    outcomes[name] = (await succeeded(at, outputs[index] ?? '')) ? 'succeeds' : 'held';
  expect(outputs.length, `${ran.stdout}${ran.stderr}`).toBe(ATTACKS.length + 1);
  // Whatever else it got: the gates did not prove its work, and so it is not done.
  expect(await at.status(1), ran.stdout).toBe('failed');
  if (level === 'process') {
    const refused = `The sandbox refused 1 connection to 127.0.0.1:${at.port}; allow it with sandbox.network`;
    expect(ran.stdout).toContain(refused);
    const { sessions } = (await project.json('show', '1')) as { sessions: { id: string }[] };
    expect((await project.within('log', sessions[0]?.id ?? '')).stdout).toContain(refused);
  }
  return outcomes;
}

const expected = (level: Level): Record<string, string> =>
  Object.fromEntries(ATTACKS.map(({ name, outcome }) => [name, outcome[level]]));

it('without a sandbox every attack is as documented, and none is believed', async () => {
  expect(await attack('off')).toEqual(expected('off'));
});

itEncloses('in the sandbox of the client every attack is as documented, and none is believed', async () => {
  expect(await attack('bash')).toEqual(expected('bash'));
});

itEncloses('in a sandbox around the whole session no attack succeeds', async () => {
  const outcomes = await attack('process');
  expect(outcomes).toEqual(expected('process'));
  expect(Object.values(outcomes)).not.toContain('succeeds');
});

it('docs/security.md has this table', () => {
  const text = existsSync('docs/security.md') ? readFileSync('docs/security.md', 'utf8') : '';
  for (const { what, outcome } of ATTACKS)
    expect(text).toContain(`| ${what} | ${outcome.off} | ${outcome.bash} | ${outcome.process} |`);
});
