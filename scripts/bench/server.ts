import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { describeTool } from '../../src/server/describe-tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { bundle } from '../bundle.ts';
import { startServer } from './mcp-process.ts';
import { type Bench, compare, median, timed } from './measure.ts';

const RALPH = [process.execPath, resolve('dist/ralph.js'), 'serve'];
const LEARNED = { text: 'Tests need NODE_ENV=test.', kind: 'discovery' };

/** A project with one task that a session holds, and the servers to compare with, bundled as Ralph is. */
async function prepare(
  folder: string,
): Promise<{ project: string; env: Record<string, string>; other: string }> {
  const project = join(folder, 'project');
  const state = join(project, '.ralph', 'state');
  mkdirSync(state, { recursive: true });
  const queue = await openQueue(join(state, 'ralph.db'));
  await addTask(queue, { title: 'One' });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await claim(queue, { run_id, session_id: 'bench' });
  await closeQueue(queue);
  const other = join(folder, 'servers');
  await build(
    bundle({ bare: 'scripts/bench/servers/bare.ts', insert: 'scripts/bench/servers/insert.ts' }, other),
  );
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { project, env: { RALPH_SESSION_ID: 'bench' }, other };
}

export const verbCall: Bench = async (folder) => {
  const { project, env, other } = await prepare(folder);
  const ralph = await startServer(RALPH, { cwd: project, env });
  const insert = await startServer([process.execPath, join(other, 'insert.js'), join(folder, 'raw.db')], {
    cwd: folder,
  });
  const bash = await startServer(
    ['bash', resolve('scripts/bench/servers/bash.sh'), join(folder, 'bash.db')],
    {
      cwd: folder,
    },
  );
  const say = (server: typeof ralph) => () => server.call('learned', LEARNED);
  await compare(50, say(ralph), say(insert));
  const raw = await compare(600, say(ralph), say(insert));
  // Not in turns: between two calls of the slow one, the fast one would be measured waking up.
  const shell: number[] = [];
  for (let round = 0; round < 40; round++) shell.push(await timed(say(bash)));
  const resident = { ralph: ralph.residentBytes(), insert: insert.residentBytes() };
  await Promise.all([ralph.end(), insert.end(), bash.end()]);
  return [
    {
      name: 'verb call, p50, against an SDK server that does one raw durable insert',
      ratio: raw.measured / raw.against,
      atMost: 1.25,
      detail: `${raw.measured.toFixed(2)} ms against ${raw.against.toFixed(2)} ms`,
    },
    {
      name: 'the same against a server in bash, sed and sqlite3',
      ratio: raw.measured / median(shell),
      atMost: 1 / 20,
      detail: `${raw.measured.toFixed(2)} ms against ${median(shell).toFixed(1)} ms: ${(median(shell) / raw.measured).toFixed(0)} times faster`,
    },
    {
      name: 'memory after 650 verbs against the SDK server with the raw insert',
      ratio: resident.ralph / resident.insert,
      atMost: 1.5,
      detail: `${(resident.ralph / 2 ** 20).toFixed(0)} MB against ${(resident.insert / 2 ** 20).toFixed(0)} MB`,
    },
  ];
};

export const coldStart: Bench = async (folder) => {
  const { project, env, other } = await prepare(folder);
  const times: { ralph: number[]; bare: number[] } = { ralph: [], bare: [] };
  const resident: { ralph: number[]; bare: number[] } = { ralph: [], bare: [] };
  for (let round = 0; round < 25; round++)
    for (const name of ['ralph', 'bare'] as const) {
      const command = name === 'ralph' ? RALPH : [process.execPath, join(other, 'bare.js')];
      const server = await startServer(command, { cwd: project, env });
      times[name].push(server.greetedAfterMs);
      await server.call('learned', LEARNED);
      resident[name].push(server.residentBytes());
      await server.end();
    }
  const [ralph, bare] = [median(times.ralph), median(times.bare)];
  const memory = [median(resident.ralph), median(resident.bare)] as const;
  return [
    {
      name: 'cold start to `initialize` against a bundled bare SDK server',
      ratio: ralph / bare,
      atMost: 1.15,
      detail: `${ralph.toFixed(0)} ms against ${bare.toFixed(0)} ms`,
    },
    {
      name: 'memory after the first verb against the bare server',
      ratio: memory[0] / memory[1],
      atMost: 1.5,
      detail: `${(memory[0] / 2 ** 20).toFixed(0)} MB against ${(memory[1] / 2 ** 20).toFixed(0)} MB`,
    },
  ];
};

export const ending: Bench = async (folder) => {
  const { project, env } = await prepare(folder);
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const server = await startServer(RALPH, { cwd: project, env });
    await server.call('learned', LEARNED);
    times.push(await server.leave());
  }
  return [
    {
      name: 'end of the server after the end of its input, against 100 ms',
      ratio: Math.max(...times) / 100,
      atMost: 1,
      detail: `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
    },
  ];
};

export const toolBytes: Bench = async () => {
  const bytes = RECIPES.task_execution.tools.reduce((sum, wanted) => {
    const tool = TOOLS.find(({ name }) => name === wanted);
    if (tool === undefined) throw new Error(`there is no tool ${wanted}`);
    const { name, description, inputSchema } = describeTool(tool);
    return sum + Buffer.byteLength(`${name}${description}${JSON.stringify(inputSchema)}`);
  }, 0);
  return [
    {
      name: 'bytes of the tools of task_execution (name, description, input schema) against 4,096',
      ratio: bytes / 4_096,
      atMost: 1,
      detail: `${bytes} bytes`,
    },
  ];
};
