// One connection of a session at work: its MCP client, through the relay, or a hook that asks one question.
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Binding } from '../../server/binding.ts';
import type { Serving } from '../../server/stdio.ts';
import type { ServedSession } from '../../supervisor/sessions/session-server.ts';

/** Resolves when the connection has nothing to answer any more. */
export type Answered = () => Promise<unknown>;

/** A client that asks for more before it has read its answers waits: they would fill the memory of the supervisor. */
const MAX_OPEN_REQUESTS = 32;
/** More than any tool writes at once. */
const MAX_HOOK_BYTES = 32 * 1024 * 1024;

const ACCEPTED = `${JSON.stringify({ accepted: true })}\n`;

export function serveClient(binding: Binding, socket: Socket): Answered {
  const starting = start(binding, socket).catch((error: unknown) => {
    binding.report(error);
    socket.destroy();
    return null;
  });
  return async () => (await starting)?.idle();
}

async function start(binding: Binding, socket: Socket): Promise<Serving> {
  // Late: a run without a client that calls need not load it.
  const { serveOverStdio } = await import('../../server/stdio.ts');
  socket.write(ACCEPTED);
  const input = new PassThrough();
  const serving = serveOverStdio(binding, input, socket);
  socket.on('close', () => void serving.stop().catch(binding.report));
  void serving.closed.then(() => socket.destroy());
  // A connection that breaks ends by its `close`.
  void feed(socket, input, serving).catch(() => {});
  return serving;
}

/** One message a turn of the event loop: a client that sends thousands must not keep the others waiting. */
async function feed(socket: Socket, input: PassThrough, serving: Serving): Promise<void> {
  for await (const chunk of socket.iterator({ destroyOnReturn: false }))
    for (const message of messagesIn(chunk)) {
      input.write(message);
      await (serving.openRequests() < MAX_OPEN_REQUESTS ? nextTurn() : serving.idle());
    }
  // The client sends no more; it still reads.
  await serving.idle();
  socket.end();
}

function* messagesIn(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf('\n', start);
    const next = end < 0 ? chunk.length : end + 1;
    yield chunk.subarray(start, next);
    start = next;
  }
}

/** Without an answer the hook decides by itself. */
export function answerHook(session: ServedSession, name: string, socket: Socket): Answered {
  const answering = readAll(socket)
    .then((input) => session.answerHook(name, input))
    .then((answer) => socket.end(`${JSON.stringify(answer)}\n`))
    .catch(() => socket.destroy());
  return () => answering;
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_HOOK_BYTES) throw new Error('A hook sent more than any tool writes.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
