// What a person does with the package on a fresh machine, step by step. A step that fails stops the try.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { diskUse } from '../../src/host/slots/disk-use.ts';
import { countPackages, type Machine, type Ran } from './machine.ts';

export type Step = { name: string; seconds: number; detail: string };

/** `npx` takes a path for a program, and `file:` for a package. */
export async function tryPackage(machine: Machine, path: string): Promise<Step[]> {
  const tarball = `file:${path}`;
  const steps: Step[] = [];
  const step = (name: string, { seconds }: { seconds: number }, detail = ''): void => {
    steps.push({ name, seconds, detail });
  };
  const needsFix = Number(machine.version.slice(1).split('.')[0]) < 22;

  step(
    'npm install -g',
    await must(machine.run('npm', ['install', '-g', '--no-audit', '--no-fund', tarball])),
  );
  const modules = join(machine.folder, 'global/lib/node_modules');
  const megabytes = ((await diskUse(modules)) / 2 ** 20).toFixed(0);
  steps.push({
    name: 'installed',
    seconds: 0,
    detail: `${countPackages(modules)} packages, ${megabytes} MB`,
  });
  const version = await must(machine.run('ralph', ['--version']));
  step('ralph --version', version, version.stdout.trim());

  const project = makeProject(machine);
  const init = () => machine.run('ralph', ['init', '--yes'], { cwd: project });
  if (needsFix) {
    const refused = await expectFailure(init(), /ralph doctor --fix/);
    step('ralph init, without SQLite for this Node', refused, refused.stderr.trim());
    const without = await machine.run('ralph', ['doctor', '--fix'], { cwd: project });
    step('doctor --fix without a compiler', without, sqliteLine(without, /could not be installed/));
    const fixed = await machine.run('ralph', ['doctor', '--fix'], { cwd: project, tools: true });
    step('doctor --fix with a compiler', fixed, sqliteLine(fixed, /SQLite \d/));
  }
  step('ralph init', await must(init()));
  writeFileSync(join(project, '.ralph/config.yaml'), CONFIG);
  const inProject = { cwd: project };
  step('ralph add', await must(machine.run('ralph', ['add', 'Write hello.txt'], inProject)));
  await must(machine.run('ralph', ['trust', '--yes'], inProject));
  step('ralph run', await must(machine.run('ralph', ['run'], inProject)));
  const shown = await must(machine.run('ralph', ['show', '1', '--json'], inProject));
  const { status, receipt } = JSON.parse(shown.stdout);
  if (status !== 'done') throw new Error(`The task is ${status}.`);
  step('the task', { seconds: 0 }, `${status}, landed as ${String(receipt.commit).slice(0, 10)}`);

  // The name is the registry's; an installed package comes first, so the plugin works without the registry.
  step(
    'npx -y ralph-mcp, as installed',
    await must(machine.run('npx', ['-y', 'ralph-mcp', '--version'], inProject)),
  );
  step('npx -y TARBALL --version', await must(machine.run('npx', ['-y', tarball, '--version'], inProject)));
  if (needsFix) {
    const fixed = await machine.run('npx', ['-y', tarball, 'doctor', '--fix'], { cwd: project, tools: true });
    step('npx -y TARBALL doctor --fix', fixed, sqliteLine(fixed, /SQLite \d/));
  }
  step('npx -y TARBALL mcp, to the first answer', ...(await callServer(machine, tarball, project)));
  return steps;
}

const CONFIG = `agent: scripted
agents:
  scripted: { command: [./agent.sh], protocol: sigils }
gates:
  - { name: test, command: 'test ! -e hello.txt || test "$(cat hello.txt)" = hello' }
`;

/** A repository with an agent that needs no model. */
function makeProject({ folder, env }: Machine): string {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, 'agent.sh'),
    '#!/bin/sh\ncat > /dev/null\necho hello > hello.txt\necho "<TASK_DONE>"\n',
  );
  chmodSync(join(project, 'agent.sh'), 0o755);
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'Start'],
  ])
    execFileSync('git', args, { cwd: project, env: { ...env, PATH: process.env['PATH'] } });
  return project;
}

async function callServer(machine: Machine, tarball: string, cwd: string): Promise<[Ran, string]> {
  const started = performance.now();
  const client = new Client({ name: 'try-package', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: 'npx',
      args: ['-y', tarball, 'mcp'],
      cwd,
      env: machine.env,
      stderr: 'ignore',
    }),
  );
  try {
    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: 'list_tasks', arguments: {} });
    const text = JSON.stringify(answer.content);
    if (!text.includes('Write hello.txt')) throw new Error(`list_tasks answered ${text}`);
    const seconds = (performance.now() - started) / 1_000;
    return [{ code: 0, stdout: '', stderr: '', seconds }, `${tools.length} tools, list_tasks names the task`];
  } finally {
    await client.close();
  }
}

async function must(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code !== 0)
    throw new Error(`Ended with ${ran.code}: ${ran.stderr.slice(-2_000)}${ran.stdout.slice(-2_000)}`);
  return ran;
}

async function expectFailure(running: Promise<Ran>, sentence: RegExp): Promise<Ran> {
  const ran = await running;
  if (ran.code === 0 || !sentence.test(ran.stderr)) throw new Error(`Expected ${sentence}: ${ran.stderr}`);
  return ran;
}

function sqliteLine({ stdout }: Ran, wanted: RegExp): string {
  const line = stdout.split('\n').find((one) => / sqlite /.test(one)) ?? stdout;
  if (!wanted.test(line)) throw new Error(`Expected ${wanted}: ${line}`);
  return line.replace(/^.*? sqlite +/, '');
}
