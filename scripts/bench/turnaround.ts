import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { databasePath } from '../../src/host/project.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { FINISHED, serveModel } from '../../test/support/scripted-model.ts';
import { type Bench, type BenchRow, inTempFolder, median, timed } from './measure.ts';
import { makeProject } from './project.ts';
import { sessionByHand } from './session.ts';

const SESSIONS = 13;
const PAIRS = 5;

type Commit = 'never' | 'task';
type Pair = { gap: number; byHand: number };

/** From the end of one agent's process to the start of the next, in milliseconds. */
async function gapsWith(folder: string, commit: Commit): Promise<number[]> {
  const notes = join(folder, 'notes');
  const relay = [process.execPath, resolve('dist/relay.js')];
  const command = [resolve('scripts/bench/agents/instant.sh'), notes, ...relay];
  const config = { agent: 'instant', agents: { instant: { command } }, commit };
  const project = await makeProject(folder, { config, tasks: SESSIONS });
  await project.ralph('run');
  const times = readFileSync(notes, 'utf8').trim().split('\n').map(Number);
  if (times.length !== 2 * SESSIONS) throw new Error(`${times.length} notes of ${SESSIONS} sessions`);
  return times.flatMap((start, index) =>
    index > 0 && index % 2 === 0 ? [1_000 * (start - (times[index - 1] ?? start))] : [],
  );
}

export const turnaround: Bench = async () => {
  const model = await serveModel(({ tools = [] }, said) =>
    said === 0 && tools.length > 0 ? { tool: 'mcp__ralph__list_tasks', input: {} } : FINISHED,
  );
  const pairs: Record<Commit, Pair[]> = { never: [], task: [] };
  for (let round = 0; round < PAIRS; round++)
    for (const commit of ['never', 'task'] as const) {
      const gap = median(await inTempFolder((folder) => gapsWith(folder, commit)));
      pairs[commit].push({ gap, byHand: await timeByHand(model.url) });
    }
  await model.close();
  return [row('never', 0.05), row('task', 0.08)];

  function row(commit: Commit, atMost: number): BenchRow {
    const all = pairs[commit];
    const [gap, whole] = [median(all.map((pair) => pair.gap)), median(all.map(({ byHand }) => byHand))];
    return {
      name: `agent exit to next agent start, no gates, \`commit: ${commit}\`, against one session of Claude Code by hand (start, MCP server, one call, end)`,
      // Each against the session right after it: a busy minute slows both, and does not decide.
      ratio: median(all.map((pair) => pair.gap / pair.byHand)),
      atMost,
      detail: `${gap.toFixed(0)} ms against ${whole.toFixed(0)} ms, ${PAIRS} pairs`,
    };
  }
};

const timeByHand = (url: string): Promise<number> =>
  inTempFolder(async (folder) => {
    const project = await makeProject(folder, { config: {}, tasks: 1 });
    return timed(() => sessionByHand(url, project));
  });

const TASKS = 1_000;

/** The whole of `ralph run` with a commit a task. Only the MCP server is left out: 1,000 starts of Node would hide the rest. */
export const manyTasks: Bench = async (folder) => {
  const notes = join(folder, 'notes');
  let saying: (session_id: string) => Promise<void> = async () => {};
  const server = createServer((socket) => {
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => void saying(text.trim()).then(() => socket.end('.\n')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const command = [resolve('scripts/bench/agents/told.sh'), notes, String(port)];
  const config = { agent: 'told', agents: { told: { command } } };
  const project = await makeProject(folder, { config, tasks: TASKS });
  const queue = await openQueue(databasePath(project.stateDir));
  saying = async (session_id) => {
    await record(queue, { session_id, call_id: null, signal: { verb: 'done', summary: 'Built.' } });
  };
  await project.ralph('run');
  await closeQueue(queue);
  server.close();
  const starts = readFileSync(notes, 'utf8')
    .trim()
    .split('\n')
    .map((time) => 1_000 * Number(time));
  if (starts.length !== TASKS) throw new Error(`${starts.length} sessions of ${TASKS}`);
  const each = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  // Their fastest tenth: in minutes the machine is now busy and now idle, which says nothing of the code.
  const [first, last] = [fastestTenth(each.slice(0, 100)), fastestTenth(each.slice(-100))];
  return [
    {
      name: '1,000 tasks by an agent without an MCP server: fastest tenth of the last hundred against the first hundred',
      ratio: last / first,
      atMost: 1.2,
      detail: `${last.toFixed(0)} ms against ${first.toFixed(0)} ms; medians ${median(each.slice(-100)).toFixed(0)} ms against ${median(each.slice(0, 100)).toFixed(0)} ms`,
    },
  ];
};

const fastestTenth = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN;
