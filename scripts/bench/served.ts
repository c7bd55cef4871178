// A project with the dashboard of it in a process of its own: a large one, or one that the caller prepares.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun, stopRun } from '../../src/queue/sessions/runs.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';

export const [TASKS, SESSIONS, RUNS] = [5_000, 300, 10];

export type Served = { url: string; pid: number; database: string; stop(): Promise<void> };

export async function served(
  folder: string,
  name: string,
  prepare: (queue: Queue, state: string) => Promise<void>,
): Promise<Served> {
  const project = join(folder, name);
  const state = join(project, '.ralph', 'state');
  const database = join(state, 'ralph.db');
  mkdirSync(state, { recursive: true });
  const queue = await openQueue(database);
  await prepare(queue, state);
  await closeQueue(queue);
  const child = spawn(process.execPath, [resolve('dist/ralph.js'), 'ui', '--no-open', '--json'], {
    cwd: project,
    env: { HOME: project },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url }: { url: string } = JSON.parse(line.toString());
  return { url, pid: child.pid ?? 0, database, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

export const STREAM = `${JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Working.' }] } })}\n`;

/** A backlog in chains of five, a tenth of it under way or done. */
export async function fillProject(queue: Queue, state: string): Promise<void> {
  const tasks = Array.from({ length: TASKS }, (_, index) => ({
    title: `Task ${index + 1} of a long backlog`,
    ...(index % 5 > 0 && { depends_on: [index] }),
  }));
  await addTasks(queue, tasks);
  for (let run = 0; run < RUNS; run++) {
    const run_id = await startRun(queue, { pid: process.pid, process_started: null });
    for (let session = 0; session < SESSIONS / RUNS; session++) await work(queue, run_id, state);
    await stopRun(queue, run_id, 'enough');
  }
}

/** A session that works on the next task, and has said something already. */
export async function begin(
  queue: Queue,
  run_id: number,
  state: string,
): Promise<{ session_id: string; stream: string }> {
  const session_id = crypto.randomUUID();
  await claim(queue, { run_id, session_id });
  const folder = join(state, 'sessions', session_id);
  mkdirSync(folder, { recursive: true });
  const stream = join(folder, 'stream.jsonl');
  writeFileSync(stream, STREAM.repeat(200));
  return { session_id, stream };
}

async function work(queue: Queue, run_id: number, state: string): Promise<void> {
  const { session_id } = await begin(queue, run_id, state);
  await record(queue, { session_id, call_id: null, signal: { verb: 'done', summary: 'Built.' } });
  await finish(queue, {
    session_id,
    run_id,
    end: { kind: 'exited', exit_code: 0 },
    usage: { ...NO_USAGE, turns: 12, cost_usd: 0.2, input_tokens: 90_000, output_tokens: 2_000 },
    effects: { runGates: async () => [], commit: async () => NO_WORK },
    limits: { max_attempts: 3, stuck: 3 },
  });
}
