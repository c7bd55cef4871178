import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { NO_MIRROR } from '../../src/app/mirror.ts';
import { openSessionServer } from '../../src/app/sessions/session-server.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { describeTool } from '../../src/server/describe-tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { bundle } from '../bundle.ts';
import { type McpProcess, startServer } from './mcp-process.ts';
import { type Bench, compare, median, timed } from './measure.ts';

const RALPH = [process.execPath, resolve('dist/ralph.js'), 'serve'];
const LEARNED = { text: 'Tests need NODE_ENV=test.', kind: 'discovery' };

type Prepared = {
  project: string;
  /** Starts a relay to the session that holds the task. */
  startRelay(): Promise<McpProcess>;
  /** The servers to compare with, bundled as Ralph is. */
  other: string;
};

/** A project with one task, and the server of a supervisor for the session that holds it. */
async function withSession<T>(folder: string, work: (prepared: Prepared) => Promise<T>): Promise<T> {
  const project = join(folder, 'project');
  const stateDir = join(project, '.ralph', 'state');
  mkdirSync(stateDir, { recursive: true });
  const queue = await openQueue(join(stateDir, 'ralph.db'));
  await addTask(queue, { title: 'One' });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await claim(queue, { run_id, session_id: 'bench' });
  const other = join(folder, 'servers');
  await build(
    bundle({ bare: 'scripts/bench/servers/bare.ts', insert: 'scripts/bench/servers/insert.ts' }, other),
  );
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const program = { node: process.execPath, script: resolve('dist/ralph.js') };
  const context = { env: { HOME: folder }, now: Date.now, version: '0', program };
  const place = { root: project, stateDir, queue, mirror: NO_MIRROR, env: context.env };
  const server = await openSessionServer(context, place, console.error);
  const answerHook = async () => ({ exitCode: 0 as const, text: '' });
  const session = {
    session_id: 'bench',
    recipe: 'task_execution' as const,
    root: project,
    queue,
    answerHook,
  };
  try {
    return await server.serve(session, ({ server: { command, args, env } }) =>
      work({
        project,
        startRelay: () => startServer([command, ...args], { cwd: project, env: { ...env } }),
        other,
      }),
    );
  } finally {
    await server.close();
    await closeQueue(queue);
  }
}

export const verbCall: Bench = (folder) =>
  withSession(folder, async ({ startRelay, other }) => {
    const relay = await startRelay();
    const insert = await startServer([process.execPath, join(other, 'insert.js'), join(folder, 'raw.db')], {
      cwd: folder,
    });
    const bash = await startServer(
      ['bash', resolve('scripts/bench/servers/bash.sh'), join(folder, 'bash.db')],
      { cwd: folder },
    );
    const say = (server: McpProcess) => () => server.call('learned', LEARNED);
    await compare(50, say(relay), say(insert));
    const raw = await compare(600, say(relay), say(insert));
    // Not in turns: between two calls of the slow one, the fast one would be measured waking up.
    const shell: number[] = [];
    for (let round = 0; round < 40; round++) shell.push(await timed(say(bash)));
    await Promise.all([relay.end(), insert.end(), bash.end()]);
    return [
      {
        name: 'verb call over the relay, p50, against an SDK server that does one raw durable insert',
        ratio: raw.measured / raw.against,
        atMost: 1.5,
        detail: `${raw.measured.toFixed(2)} ms against ${raw.against.toFixed(2)} ms`,
      },
      {
        name: 'the same against a server in bash, sed and sqlite3',
        ratio: raw.measured / median(shell),
        atMost: 1 / 20,
        detail: `${raw.measured.toFixed(2)} ms against ${median(shell).toFixed(1)} ms: ${(median(shell) / raw.measured).toFixed(0)} times faster`,
      },
    ];
  });

export const coldStart: Bench = (folder) =>
  withSession(folder, async ({ project, startRelay, other }) => {
    const start = {
      relay: startRelay,
      serve: () => startServer(RALPH, { cwd: project }),
      bare: () => startServer([process.execPath, join(other, 'bare.js')], { cwd: project }),
    };
    const times: Record<keyof typeof start, number[]> = { relay: [], serve: [], bare: [] };
    const resident: Record<keyof typeof start, number[]> = { relay: [], serve: [], bare: [] };
    for (let round = 0; round < 25; round++)
      for (const name of ['relay', 'serve', 'bare'] as const) {
        const server = await start[name]();
        times[name].push(server.greetedAfterMs);
        await server.call(name === 'serve' ? 'list_tasks' : 'learned', name === 'serve' ? {} : LEARNED);
        resident[name].push(server.residentBytes());
        await server.end();
      }
    const ms = (name: keyof typeof start): number => median(times[name]);
    const megabytes = (name: keyof typeof start): number => median(resident[name]) / 2 ** 20;
    const row = (
      what: string,
      atMost: number,
      unit: 'ms' | 'MB',
      [one, against]: [keyof typeof start, keyof typeof start],
    ) => {
      const value = unit === 'ms' ? ms : megabytes;
      const detail = `${value(one).toFixed(0)} ${unit} against ${value(against).toFixed(0)} ${unit}`;
      return { name: what, ratio: value(one) / value(against), atMost, detail };
    };
    return [
      row('start of the relay to `initialize` against a bundled bare SDK server', 0.8, 'ms', [
        'relay',
        'bare',
      ]),
      row('the same of `ralph serve`, for a person', 1.15, 'ms', ['serve', 'bare']),
      row("memory on the agent's side: the relay against `ralph serve`", 0.7, 'MB', ['relay', 'serve']),
      row('memory of `ralph serve` after the first call against the bare server', 1.5, 'MB', [
        'serve',
        'bare',
      ]),
    ];
  });

export const ending: Bench = (folder) =>
  withSession(folder, async ({ startRelay }) => {
    const times: number[] = [];
    for (let round = 0; round < 15; round++) {
      const relay = await startRelay();
      await relay.call('learned', LEARNED);
      times.push(await relay.leave());
    }
    return [
      {
        name: 'end of the relay after the end of its input, against 100 ms',
        ratio: Math.max(...times) / 100,
        atMost: 1,
        detail: `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
      },
    ];
  });

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
