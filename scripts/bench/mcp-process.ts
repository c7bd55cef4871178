import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export type McpProcess = {
  /** From the start of the process to the answer to `initialize`. */
  greetedAfterMs: number;
  call(name: string, args: object): Promise<void>;
  residentBytes(): number;
  end(): Promise<void>;
  /** Closes its standard input; how long it took to be gone, in milliseconds. */
  leave(): Promise<number>;
};

type Waiting = { id: number; found: () => void; failed: (error: Error) => void };

/** The least of a client: what is measured is the server. */
export async function startServer(
  command: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<McpProcess> {
  const started = performance.now();
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let waiting: Waiting | null = null;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (waiting !== null && JSON.parse(line).id === waiting.id) waiting.found();
  });
  child.once('exit', (code) => waiting?.failed(new Error(`${command.join(' ')} ended with ${code}`)));
  let ids = 0;
  const ask = (method: string, params: object): Promise<void> =>
    new Promise((found, failed) => {
      const id = ++ids;
      waiting = { id, found, failed };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  return {
    greetedAfterMs: performance.now() - started,
    call: (name, given) => ask('tools/call', { name, arguments: given }),
    residentBytes: () =>
      1024 *
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? Number.NaN),
    leave: () => {
      const closed = performance.now();
      return new Promise((gone) => {
        child.once('exit', () => gone(performance.now() - closed));
        child.stdin.end();
      });
    },
    end: () =>
      new Promise((gone) => {
        child.once('exit', () => gone());
        child.stdin.end();
        child.kill('SIGKILL');
      }),
  };
}
