// A project with everything that an agent could attack, in files and processes of the test's own.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { inject, onTestFinished, vi } from 'vitest';
import { killCarriers } from '../../src/host/processes/reap.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { initialised, run, type TestProject } from '../support/ralph.ts';
import { type Aftermath, type AttackScene, inDatabase, SECRET } from './attack.ts';
import { GATES, PROOF } from './attacks-on-gates.ts';
import { commandLines } from './command-lines.ts';

export type TestScene = AttackScene & {
  project: TestProject;
  /** Where the programs of the sessions keep temporary files. */
  tmp: string;
  wasReached(): boolean;
  rows: Aftermath['rows'];
};

export async function openScene(): Promise<TestScene> {
  const project = await onDisk();
  const { root, home } = project;
  const folder = join(home, '..');
  const built = join(folder, 'built');
  cpSync(dirname(inject('ralph')), built, { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const [runtime, tmp] = [join(folder, 'run'), join(folder, 'tmp')];
  for (const made of [runtime, tmp]) mkdirSync(made, { mode: 0o700 });
  const stateDir = join(root, '.git/ralph');
  const ralphState = join(home, '.local/state/ralph');
  const write = (path: string, text: string, mode = 0o600): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  write(join(home, '.ssh/id'), SECRET);
  write(join(home, '.bashrc'), '# mine\n');
  write(join(home, '.proof.sh'), PROOF);
  write(join(home, '.local/bin/proof-tool'), `#!/bin/sh\n${PROOF}\n`, 0o755);
  write(join(ralphState, 'dashboard/page.json'), SECRET);
  write(join(root, '.gitignore'), 'node_modules\n');
  write(join(root, 'proof.sh'), PROOF);
  write(join(root, '.ralph/config.yaml'), `max_attempts: 1\n${GATES}`);
  await commitAll(project);
  await project.json('trust', '--yes');
  const { port, wasReached } = await service();
  // First: the folder can be removed when nothing writes there any more.
  onTestFinished(() => endAll(project, port));
  return {
    project,
    ...{ root, home, stateDir, ralphState, runtime, tmp, port, wasReached },
    ralph: join(built, 'ralph.js'),
    rows: (query) => {
      const database = openBetterSqlite(inDatabase({ stateDir }), {});
      const found = database.prepare(query).all() as Record<string, unknown>[];
      database.close();
      return found;
    },
  };
}

/** Sandboxes replace /dev, and with it what tests keep in memory. */
async function onDisk(): Promise<TestProject> {
  vi.stubEnv('TMPDIR', '/var/tmp');
  return initialised().finally(() => void vi.unstubAllEnvs());
}

async function commitAll({ root, home }: TestProject): Promise<void> {
  const options = { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } };
  const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com'];
  await run('git', ['add', '-A'], options);
  await run('git', [...person, 'commit', '-qm', 'Start'], options);
}

async function service(): Promise<{ port: number; wasReached(): boolean }> {
  let isReached = false;
  const server = createServer((_, response) => {
    isReached = true;
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, wasReached: () => isReached };
}

/** What the attacker left behind, and what a killed supervisor did. */
async function endAll({ root }: TestProject, port: number): Promise<void> {
  const database = openBetterSqlite(inDatabase({ stateDir: join(root, '.git/ralph') }), {});
  const sessions = database.prepare('select id from sessions').all() as { id: string }[];
  database.close();
  for (const { id } of sessions) await killCarriers(`RALPH_SESSION_ID=${id}`);
  for (const { pid, line } of commandLines())
    if (line.startsWith(`left-behind-${port}`)) process.kill(pid, 'SIGKILL');
}

export const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
