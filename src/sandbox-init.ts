// The first program in a sandbox. It connects the private loopback with Ralph's proxy, starts the command, and reports how that
// ended. Node's built-in modules only: nothing else of Ralph is in the sandbox.
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { InitOptions } from './host/sandbox/sandbox.ts';

const REPORT = 3;
const LOOPBACK = '127.0.0.1';

const [json = '{}', file = '', ...args] = process.argv.slice(2);
const { socket, ports }: InitOptions = JSON.parse(json);

// Ralph ends the sandbox by a signal to the command itself; this process has to see how it ends.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});

/** Carries bytes both ways, and ends both when one has ended. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

function listen(port: number, onConnection: (client: Socket) => void): Promise<Server> {
  return new Promise((listening) => {
    const server = createServer({ allowHalfOpen: true }, onConnection);
    server.on('error', () => listening(server));
    server.listen(port, LOOPBACK, () => listening(server));
  });
}

/** Asks the proxy for a port of the machine, as for any other address. */
function forward(path: string, port: number, client: Socket): void {
  const proxy = connect(path);
  client.pause();
  proxy.once('error', () => client.destroy());
  proxy.once('connect', () => proxy.write(`CONNECT ${LOOPBACK}:${port} HTTP/1.1\r\n\r\n`));
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    proxy.off('data', onData);
    if (!/^HTTP\/1\.1 200/.test(head.toString('latin1', 0, 20))) {
      client.destroy();
      proxy.destroy();
      return;
    }
    client.write(head.subarray(end + 4));
    join(client, proxy);
    client.resume();
  };
  proxy.on('data', onData);
}

async function openNetwork(path: string): Promise<Record<string, string>> {
  const server = await listen(0, (client) => join(client, connect({ path, allowHalfOpen: true })));
  for (const port of ports) await listen(port, (client) => forward(path, port, client));
  const address = server.address();
  if (address === null || typeof address === 'string') return {};
  const url = `http://${LOOPBACK}:${address.port}`;
  const values = { http: url, https: url, all: url, no: `localhost,${LOOPBACK},::1` };
  const both = Object.entries(values).flatMap(([name, value]) => [
    [`${name}_proxy`, value],
    [`${name.toUpperCase()}_PROXY`, value],
  ]);
  return Object.fromEntries(both);
}

function report(end: { code: number | null; signal: string | null; error: string | null }): never {
  writeSync(REPORT, JSON.stringify(end));
  process.exit(end.code ?? 1);
}

const network = await openNetwork(socket);
// In a group of its own, as without a sandbox: `kill 0` in a script must not reach this process.
const child = spawn(file, args, { env: { ...process.env, ...network }, stdio: 'inherit', detached: true });
child.once('error', (error: NodeJS.ErrnoException) =>
  report({ code: null, signal: null, error: error.code ?? error.message }),
);
child.once('exit', (code, signal) => report({ code, signal, error: null }));
