// Plays one fault, with the client that is the cheapest to show it. docs/faults.md has the rows of all.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import type { Symptom } from '../../src/domain/sessions/agent-failure.ts';
import { parseStreamLine } from '../../src/domain/transcript/parse.ts';
import { findCarriers } from '../../src/host/processes/reap.ts';
import { claudeEnv, scriptedModel } from '../support/claude.ts';
import { initialised, run, runRalph, runWithin, type TestProject } from '../support/ralph.ts';
import { scripted } from '../support/scripted-agent.ts';
import { stepOf, streamProject } from '../support/stream-client.ts';
import { charged, type Fault, GATE, type InStream, outcome, type ShownTask, shellIn } from './fault.ts';

/** The folder for the rows of `npm run faults`, a file for each group. */
const TABLE = process.env['RALPH_FAULTS_TABLE'];
const known = readFileSync('docs/faults.md', 'utf8');

/** Plays a fault and compares its row with the table; or collects the row, where that is asked for. */
export async function checkRow(group: string, fault: Fault): Promise<void> {
  const row = await rowOf(fault);
  if (TABLE === undefined) expect(known).toContain(`${row}\n`);
  else appendFileSync(join(TABLE, group), `${row}\n`);
}

async function rowOf(fault: Fault): Promise<string> {
  const { project, env, hasAsked } = await play(fault);
  const ran = [];
  for (const cwd of [project.root, ...(fault.later?.(project) ?? [])]) {
    if (cwd !== project.root) await runRalph(['trust', '--yes'], { cwd, env });
    const args = ['run', ...(fault.args ?? ['--once'])];
    const command = [fault.ralph?.(project) ?? inject('ralph'), ...args];
    ran.push(
      needsProcess(fault)
        ? await run(process.execPath, command, { cwd, env })
        : await runWithin(args, { cwd, env }),
    );
  }
  expect(ran.map(({ stderr }) => stderr).join('')).toBe('');
  expect(ran.at(-1)?.stdout).toContain(fault.says ?? '');
  const task = (await project.json('show', '1')) as ShownTask;
  // Whatever happened, nothing of it is still running.
  for (const { id } of task.sessions) {
    const carriers = () => findCarriers(`RALPH_SESSION_ID=${id}`);
    // What a killed Ralph left is ended by its watcher, as soon as that comes to it.
    if (fault.later !== undefined) await expect.poll(carriers).toEqual([]);
    expect(carriers()).toEqual([]);
  }
  if (task.receipt?.commit && fault.config?.endsWith(GATE)) expectClonePasses(project, task.receipt.commit);
  await fault.afterwards?.(project);
  if (fault.inStream !== undefined)
    expect(reportIn(project, task.sessions.at(-1)?.id ?? '')).toEqual(fault.inStream.report);
  const isFree = task.sessions.length > 0 && !hasAsked();
  const sessions = isFree ? '1, before it cost anything' : String(task.sessions.length);
  return `| ${[fault.name, outcome(task), charged(task), sessions, String(ran.at(-1)?.code)].join(' | ')} |`;
}

/** A Ralph that is killed or is another one; the table is made by processes only. */
const needsProcess = (fault: Fault): boolean =>
  TABLE !== undefined || fault.later !== undefined || fault.ralph !== undefined;

type Scene = {
  project: TestProject;
  env: NodeJS.ProcessEnv;
  /** Whether the session has come as far as to the model. */
  hasAsked(): boolean;
};

function play(fault: Fault): Promise<Scene> {
  if (TABLE !== undefined) return withClaude(fault);
  if (fault.ofAnyAgent === true) return withScript(fault);
  return fault.inStream === undefined ? withClaude(fault) : withStream(fault, fault.inStream);
}

async function withClaude(fault: Fault): Promise<Scene> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), fault.config ?? '');
  await prepare(project, fault);
  const model = await scriptedModel(fault.turns(project));
  const env = { ...claudeEnv(project, model) };
  for (const [name, value] of Object.entries(fault.env?.(model.url) ?? {}))
    if (value === null) delete env[name];
    else env[name] = value;
  if (fault.path !== undefined) env['PATH'] = `${fault.path(project)}:${env['PATH']}`;
  return { project, env, hasAsked: () => model.requests.length > 0 };
}

async function withScript(fault: Fault): Promise<Scene> {
  const { project, write } = await scripted({}, fault.config);
  await prepare(project, fault);
  const steps = [fault.turns(project).map(stepOf)];
  for (let id = 1; id <= 1 + (fault.tasks?.length ?? 0); id++) write(id, steps);
  const PATH = [...(fault.path === undefined ? [] : [fault.path(project)]), process.env['PATH']].join(':');
  const env = { HOME: project.home, RALPH_SANDBOX: 'off', PATH };
  return { project, env, hasAsked: () => existsSync(join(project.home, 'script/1.count')) };
}

async function withStream(fault: Fault, { report }: InStream): Promise<Scene> {
  const { project, env, write } = await streamProject();
  writeFileSync(join(project.root, '.ralph/config.yaml'), fault.config ?? '');
  await prepare(project, fault);
  const turns = fault.turns(project);
  write(1, [{ turns, report }]);
  return { project, env, hasAsked: () => turns.length > 0 };
}

/** What the client printed in the place of an answer. */
function reportIn({ root }: TestProject, session: string): Symptom | null {
  const stream = readFileSync(join(root, '.git/ralph/sessions', session, 'stream.jsonl'), 'utf8');
  const events = stream.split('\n').map((line) => parseStreamLine(line).event);
  const error = events.findLast((event) => event.kind === 'assistant')?.error ?? null;
  const status = events.findLast((event) => event.kind === 'result')?.status ?? null;
  if (error !== null) return { error, status };
  // Where a retry can bring nothing, Ralph ends the client before it gives up.
  const retry = events.findLast((event) => event.kind === 'retry');
  return retry === undefined ? null : { error: retry.error, status: retry.status };
}

/** What the receipt says holds for everybody else, too: not only in the folder where the gates ran. */
function expectClonePasses(project: TestProject, commit: string): void {
  shellIn(project, [
    'git clone -q . ~/clone',
    'cd ~/clone',
    `git checkout -q ${commit}`,
    'grep -q hello hello.txt',
  ]);
}

async function prepare(project: TestProject, { tasks = [], prepare: more }: Fault): Promise<void> {
  await more?.(project);
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.txt');
  for (const args of tasks) await project.json('add', ...args);
}
