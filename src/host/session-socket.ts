// The socket on which the relays and hooks of sessions call. Each connection begins with one line that says whose it is.
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { PRIVATE_FILE } from './private-state.ts';

/** `hook`: the hook that asks, or null for the relay of a client. */
export type Greeting = { token: string; hook: string | null };

type SessionSocket = { close(): Promise<void> };

/** A token and the name of a hook. */
const MAX_GREETING = 1_024;
const GREETING_TIMEOUT_MS = 10_000;
/** More than the relays and hooks of many sessions; an agent must not use up the descriptors of its supervisor. */
const MAX_CONNECTIONS = 512;

const NO_GREETING = 'Not recorded: this connection did not begin with the token of a session.';

/** `serve` takes the connection over, or returns the sentence with which it is refused. */
export async function listenForSessions(
  path: string,
  serve: (greeting: Greeting, socket: Socket) => string | null,
): Promise<SessionSocket> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A relay that was killed is no fault of this side.
    socket.on('error', () => socket.destroy());
    readGreeting(socket, (greeting) => {
      const refused = greeting === null ? NO_GREETING : serve(greeting, socket);
      if (refused !== null) refuse(socket, refused);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(path, listening);
  });
  chmodSync(path, PRIVATE_FILE);
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Reads on and drops it: a connection that is closed with unread bytes would lose the sentence. */
function refuse(socket: Socket, refused: string): void {
  socket.resume().end(`${JSON.stringify({ refused })}\n`);
  setTimeout(() => socket.destroy(), GREETING_TIMEOUT_MS).unref();
}

/** Leaves what follows the first line for the reader to come. Null where no greeting comes. */
function readGreeting(socket: Socket, found: (greeting: Greeting | null) => void): void {
  let head = Buffer.alloc(0);
  const stop = (): void => {
    clearTimeout(timer);
    socket.off('data', look).off('end', none).pause();
  };
  const none = (): void => {
    stop();
    found(null);
  };
  const look = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\n');
    if (end < 0 && head.length <= MAX_GREETING) return;
    // First: a stream that flows would hand the rest to this reader again.
    stop();
    if (end >= 0 && end + 1 < head.length) socket.unshift(head.subarray(end + 1));
    found(end < 0 ? null : parseGreeting(head.subarray(0, end).toString()));
  };
  const timer = setTimeout(none, GREETING_TIMEOUT_MS).unref();
  socket.on('close', () => clearTimeout(timer));
  socket.on('data', look).on('end', none).resume();
}

function parseGreeting(line: string): Greeting | null {
  try {
    const { token, hook = null } = JSON.parse(line);
    const isSound = typeof token === 'string' && (hook === null || typeof hook === 'string');
    return isSound ? { token, hook } : null;
  } catch {
    return null;
  }
}
