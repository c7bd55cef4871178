// The dashboard of a large project against that of an empty one, in a real browser; and its memory after many events.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { NO_WORK } from '../../src/domain/gate.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { addTasks } from '../../src/queue/add.ts';
import { claim } from '../../src/queue/claim.ts';
import { editTask } from '../../src/queue/edit.ts';
import { finish } from '../../src/queue/finish.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { record } from '../../src/queue/record.ts';
import { startRun, stopRun } from '../../src/queue/runs.ts';
import { startBrowser, unpackBrowser } from '../browser.ts';
import { type Bench, type BenchRow, median } from './measure.ts';

const [TASKS, SESSIONS, RUNS] = [5_000, 300, 10];
const ROUNDS = 9;
const PAGES = ['Tasks', 'Graph', 'Sessions', 'Knowledge', 'Runs'];

export const dashboard: Bench = async (folder) => {
  const browser = await startBrowser(await unpackBrowser(folder), folder);
  const large = await served(folder, 'large', fillProject);
  const empty = await served(folder, 'empty', async () => {});
  const times = { large: new Map<string, number[]>(), empty: new Map<string, number[]>() };
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, { url }] of Object.entries({ large, empty })) {
        const page = await browser.newPage();
        for (const [what, ms] of await walk(page, url)) {
          const known = times[name as keyof typeof times];
          known.set(what, [...(known.get(what) ?? []), ms]);
        }
        await page.close();
      }
  } finally {
    await browser.close();
    await Promise.all([large, empty].map(({ stop }) => stop()));
  }
  return [...times.large.keys()].map((what): BenchRow => {
    const [measured, against] = [times.large, times.empty].map((known) => median(known.get(what) ?? []));
    return {
      name: `dashboard, ${TASKS} tasks and ${SESSIONS} sessions against none: ${what}`,
      ratio: (measured ?? Number.NaN) / (against ?? Number.NaN),
      atMost: 3,
      detail: `${measured?.toFixed(0)} ms against ${against?.toFixed(0)} ms`,
    };
  });
};

/** From the address to something to read, then from page to page, each for the first time. */
async function walk(page: Page, url: string): Promise<[string, number][]> {
  const began = performance.now();
  await page.goto(url);
  await page.locator('main[aria-busy=false] h1').waitFor();
  const times: [string, number][] = [['first useful paint', performance.now() - began]];
  for (const name of PAGES) times.push([`to ${name}`, await page.evaluate<number>(changeTo(name))]);
  return times;
}

/** Said to the page as text, because only there is a document: from the click to the frame that shows more than a heading. */
const changeTo = (name: string): string => `new Promise((shown) => {
  const link = [...document.querySelectorAll('nav a')].find((one) => one.textContent.startsWith('${name}'));
  const began = performance.now();
  link.click();
  const look = () => {
    const isShown = document.querySelector('main[aria-busy=false] h1')?.textContent.startsWith('${name}');
    requestAnimationFrame(isShown ? () => shown(performance.now() - began) : look);
  };
  look();
})`;

const EVENTS = 36_000;
const PAGE_READS_EVERY = 50;

/** Ten events a second for an hour, as fast as they can be written, with a page that reads what they change. */
export const dashboardMemory: Bench = async (folder) => {
  const server = await served(folder, 'live', async (queue) => {
    await addTasks(queue, [{ title: 'Changes' }]);
  });
  const { origin, hash } = new URL(server.url);
  const ask = (path: string) =>
    fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${hash.slice(1)}` } });
  const stream = (await ask('/api/events')).body?.getReader();
  const reading = (async () => {
    while ((await stream?.read())?.done === false);
  })();
  const queue = await openQueue(server.database);
  let early = 0;
  for (let event = 0; event < EVENTS; event++) {
    await editTask(queue, 1, { description: `change ${event}` });
    if (event % PAGE_READS_EVERY === 0)
      for (const path of ['/api/project', '/api/now', '/api/tasks']) await (await ask(path)).arrayBuffer();
    // A sixth of the hour: everything that is made once is there.
    if (event === EVENTS / 6) early = residentBytes(server.pid);
  }
  const late = residentBytes(server.pid);
  await closeQueue(queue);
  await server.stop();
  await reading.catch(() => {});
  return [
    {
      name: `memory of \`ralph ui\` after ${EVENTS} events against ${EVENTS / 6}`,
      ratio: late / early,
      atMost: 1.15,
      detail: `${(late / 2 ** 20).toFixed(0)} MB against ${(early / 2 ** 20).toFixed(0)} MB`,
    },
  ];
};

const residentBytes = (pid: number): number =>
  1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

type Served = { url: string; pid: number; database: string; stop(): Promise<void> };

async function served(
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

const STREAM = `${JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Working.' }] } })}\n`;

/** A backlog in chains of five, a tenth of it under way or done. */
async function fillProject(queue: Queue, state: string): Promise<void> {
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

async function work(queue: Queue, run_id: number, state: string): Promise<void> {
  const session_id = crypto.randomUUID();
  await claim(queue, { run_id, session_id });
  const folder = join(state, 'sessions', session_id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'stream.jsonl'), STREAM.repeat(200));
  await record(queue, { session_id, call_id: null, signal: { verb: 'done', summary: 'Built.' } });
  await finish(queue, {
    session_id,
    run_id,
    end: { kind: 'exited', exit_code: 0 },
    usage: { ...NO_USAGE, turns: 12, cost_usd: 0.2, input_tokens: 90_000, output_tokens: 2_000 },
    machine: { runGates: async () => [], commit: async () => NO_WORK },
    limits: { max_attempts: 3, stuck: 3 },
  });
}
