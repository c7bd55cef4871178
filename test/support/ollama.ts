// A server on loopback that speaks Ollama's protocol, with vectors that anybody can work out: one dimension a word.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { searchWords } from '../../src/domain/learnings/search-words.ts';

export type FakeOllama = {
  url: string;
  /** What was asked, one list of texts a request. */
  asked: string[][];
  /** How it answers from now on. */
  mode: 'well' | 'error' | 'silent' | 'garbage' | 'short' | 'endless' | 'infinite';
  dimensions: number;
};

/** `meanings`: words that mean the same get the same dimension, which is what a model is for. */
export async function fakeOllama(
  meanings: Readonly<Record<string, string>> = {},
  model = 'nomic-embed-text',
): Promise<FakeOllama> {
  const fake: FakeOllama = { url: '', asked: [], mode: 'well', dimensions: 64 };
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      const json = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      };
      if (fake.mode === 'silent') return;
      if (request.method !== 'POST' || request.url !== '/api/embed') return json(404, { error: 'not found' });
      const { model: wanted, input } = JSON.parse(body) as { model: string; input: string[] };
      fake.asked.push(input);
      if (fake.mode === 'error') return json(500, { error: 'out of memory' });
      if (wanted !== model) return json(404, { error: `model "${wanted}" not found, try pulling it first` });
      if (fake.mode === 'garbage') return json(200, { embeddings: [['a']] });
      if (fake.mode === 'infinite') return json(200, { embeddings: input.map(() => [1e39, 1]) });
      if (fake.mode === 'endless') {
        const more = (): void => void (response.write('1,'.repeat(1_000_000)) ? setImmediate(more) : 0);
        response.on('drain', more).writeHead(200).write('{"embeddings":[[');
        return more();
      }
      const vectors = input.map((text) => vectorOf(text, meanings, fake.dimensions));
      json(200, { model, embeddings: fake.mode === 'short' ? vectors.slice(1) : vectors });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

function vectorOf(text: string, meanings: Readonly<Record<string, string>>, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.001);
  for (const word of searchWords(text, 200)) {
    const meaning = meanings[word] ?? word;
    const place = [...meaning].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % dimensions, 7);
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

/** Without a time limit: a server that does answer may take as long as this machine needs. */
export const unhurried: typeof fetch = (url, init) => fetch(url, { ...init, signal: null });

/** Where nothing answers: somebody listened there a moment ago. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return `http://127.0.0.1:${port}`;
}
