// One `ralph run`, in a group of its own.
import { spawn } from 'node:child_process';
import type { Programs } from './project.ts';

export type Running = {
  pid: number;
  isOver(): boolean;
  /** How many sessions it has settled, as it tells. */
  settled(): number;
  ended: Promise<{ code: number | null; output: string }>;
};

export type RunPlace = { root: string; env: Readonly<Record<string, string>> };

/** Longer than any round takes on a busy machine: only a run that hangs is ended by it. */
const TIMEOUT_MS = 600_000;

export function startRun(
  { root, env }: RunPlace,
  { ralph }: Pick<Programs, 'ralph'>,
  args: readonly string[] = [],
): Running {
  const child = spawn(process.execPath, [ralph, 'run', '--json', ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('ralph run could not be started');
  let output = '';
  let isOver = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const late = setTimeout(() => {
    output += '\n(the harness ended it: it did not end by itself)';
    process.kill(-pid, 'SIGKILL');
  }, TIMEOUT_MS);
  const ended = new Promise<{ code: number | null; output: string }>((over) =>
    // Not "close": an agent that outlives its supervisor may have the pipe open.
    child.once('exit', (code) => {
      isOver = true;
      clearTimeout(late);
      setImmediate(() => over({ code, output }));
    }),
  );
  return {
    pid,
    isOver: () => isOver,
    settled: () => output.match(/^\{"kind":"finished"/gm)?.length ?? 0,
    ended,
  };
}
