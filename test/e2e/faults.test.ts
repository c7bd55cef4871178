// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { carriersOf } from '../../src/host/processes/reap.ts';
import { claudeEnv, scriptedModel } from '../support/claude.ts';
import { initialised, run, runRalph, type TestProject } from '../support/ralph.ts';
import { FAULTS, type Fault, GATE } from './faults.ts';

type Shown = {
  status: string;
  attempts: number;
  stuck_count: number;
  receipt: { commit: string | null } | null;
  sessions: { id: string; outcome: string | null }[];
};

const TABLE = process.env['RALPH_FAULTS_TABLE'];
const known = readFileSync('docs/faults.md', 'utf8');

it.each(FAULTS)('$name', async (fault) => {
  const row = await rowOf(fault);
  if (TABLE === undefined) expect(known).toContain(`${row}\n`);
  else appendFileSync(TABLE, `${row}\n`);
});

async function rowOf(fault: Fault): Promise<string> {
  const project = await prepared(fault);
  const model = await scriptedModel(fault.turns(project));
  const env = { ...claudeEnv(project, model) };
  for (const [name, value] of Object.entries(fault.env?.(model.url) ?? {}))
    if (value === null) delete env[name];
    else env[name] = value;
  const path = fault.path === undefined ? env['PATH'] : `${fault.path(project)}:${env['PATH']}`;
  const ran = [];
  for (const cwd of [project.root, ...(fault.later?.(project) ?? [])]) {
    if (cwd !== project.root) await runRalph(['trust', '--yes'], { cwd, env });
    const command = [fault.ralph?.(project) ?? inject('ralph'), 'run', ...(fault.args ?? ['--once'])];
    ran.push(await run(process.execPath, command, { cwd, env: { ...env, PATH: path } }));
  }
  expect(ran.map(({ stderr }) => stderr).join('')).toBe('');
  expect(ran.at(-1)?.stdout).toContain(fault.says ?? '');
  const task = (await project.json('show', '1')) as Shown;
  // Whatever happened, nothing of it is still running.
  for (const { id } of task.sessions) {
    const carriers = () => carriersOf(`RALPH_SESSION_ID=${id}`);
    // What a killed Ralph left is ended by its watcher, as soon as that comes to it.
    if (fault.later !== undefined) await expect.poll(carriers).toEqual([]);
    expect(carriers()).toEqual([]);
  }
  if (task.receipt?.commit && fault.config === GATE) expectClonePasses(project);
  return `| ${[fault.name, outcome(task), charged(task), model.requests.length > 0 ? String(task.sessions.length) : '1, before it cost anything', String(ran.at(-1)?.code)].join(' | ')} |`;
}

/** What the receipt says holds for everybody else, too: not only in the folder where the gates ran. */
function expectClonePasses({ root, home }: TestProject): void {
  const env = { HOME: home, PATH: process.env['PATH'] };
  execFileSync('git', ['clone', '-q', root, join(home, 'clone')], { env });
  execFileSync('grep', ['-q', 'hello', join(home, 'clone/hello.txt')]);
}

async function prepared({ config = '', tasks = [], prepare }: Fault): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), config);
  await prepare?.(project);
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.txt');
  for (const args of tasks) await project.json('add', ...args);
  return project;
}

const outcome = ({ status, sessions, receipt }: Shown): string => {
  const last = sessions.at(-1)?.outcome?.replace('_', ' ') ?? 'left open';
  if (status === 'done') return receipt?.commit === null ? 'done, nothing to commit' : 'done, committed';
  return `${status.replace('_', ' ')} (${last})`;
};

function charged({ attempts, stuck_count }: Shown): string {
  const parts = [
    ...(attempts > 0 ? [`${attempts} of 3 tries`] : []),
    ...(stuck_count > 0 ? [`${stuck_count} of 3 stucks`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
