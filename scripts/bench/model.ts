// The least of a model: it has one sentence to say, and remembers how large the questions were.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Model = {
  url: string;
  /** Bytes of each request that came with tools: the others are the client's own housekeeping. */
  requests: number[];
  close(): Promise<void>;
};

export async function startModel(): Promise<Model> {
  const requests: number[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages'))
        return void response.writeHead(404).end();
      const body = Buffer.concat(parts);
      if ((JSON.parse(body.toString()).tools?.length ?? 0) > 0) requests.push(body.length);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(SAID);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const usage = { input_tokens: 10, output_tokens: 10 };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
};
const SAID = [
  { type: 'message_start', message },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Finished.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');
