// A service on loopback that takes the messages of a webhook.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Webhook = {
  url: string;
  /** What it was sent, in order. */
  bodies: string[];
  /** The keys that came with them. */
  keys: unknown[];
};

/** Answers with these codes, then with 200. */
export async function webhook(...codes: number[]): Promise<Webhook> {
  const [bodies, keys]: [string[], unknown[]] = [[], []];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      keys.push(request.headers['idempotency-key']);
      response.writeHead(codes.shift() ?? 200).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => void server.close(() => closed())));
  return { bodies, keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}
