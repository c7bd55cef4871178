// The API of a model on loopback that says what somebody wrote down, so that a real client can be driven without a key. It speaks
// what Claude Code speaks, and what other clients do (model-apis.ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type ModelApi, OTHER_APIS } from './model-apis.ts';

/** The real client: the one of this project, or another version for the table of faults. */
export const CLAUDE = resolve(process.env['RALPH_CLAUDE'] ?? 'node_modules/.bin/claude');

type Usage = { input_tokens: number; output_tokens: number };

export type Turn =
  | { tool: string; input: unknown; usage?: Usage }
  | { text: string; usage?: Usage }
  | {
      status: number;
      times?: number;
      message?: string;
      /** The API's own name for the error, if not the usual one. */
      code?: string;
      headers?: Readonly<Record<string, string>>;
    }
  | { silence: true };

/** An answer of the model. */
export type Said = Extract<Turn, { tool: string } | { text: string }>;

export type Request = {
  system?: unknown;
  messages: { role: string; content: string | { type: string; [key: string]: unknown }[] }[];
  tools?: { name: string; description: string; input_schema: unknown }[];
  metadata?: { user_id?: string };
};

export type ScriptedModel = { url: string; requests: Request[] };

export const FINISHED: Turn = { text: 'Finished.' };

/** `next`: what is said to a request, which holds the whole conversation; `said`: how many turns the model has said in it. */
export async function serveModel(
  next: (asked: Request, said: number) => Turn | Promise<Turn>,
): Promise<ScriptedModel & { close(): Promise<void> }> {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://model').pathname;
    const api = [MESSAGES, ...OTHER_APIS].find(({ matches }) => matches(path));
    if (request.method !== 'POST' || api === undefined) {
      response.writeHead(404).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      if (path.includes('count_tokens')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}');
        return;
      }
      const asked = api.read(JSON.parse(body));
      requests.push(asked);
      const said = asked.messages.filter(({ role }) => role === 'assistant').length;
      void Promise.resolve(next(asked, said)).then((turn) => answer(response, api, turn, said));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

function answer(response: ServerResponse, api: ModelApi, turn: Turn, said: number): void {
  // Never answered: the session hangs until somebody ends it.
  if ('silence' in turn) return;
  if ('status' in turn) {
    response.writeHead(api.status?.(turn) ?? turn.status, {
      'content-type': 'application/json',
      ...turn.headers,
    });
    response.end(JSON.stringify(api.error(turn)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(api.write(turn, said));
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const MESSAGES: ModelApi = {
  matches: (path) => path.startsWith('/v1/messages'),
  read: (body) => body as Request,
  write: stream,
  error: ({ status, message = 'scripted' }) => ({
    type: 'error',
    error: { type: ERRORS[status] ?? 'api_error', message },
  }),
};

export type Block = { type: string; [key: string]: unknown };

export const blocksOf = ({ messages }: Request, role: string): Block[] =>
  messages
    .filter((message) => message.role === role)
    .flatMap(({ content }): Block[] =>
      typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    );

/** Ralph gives its session's id to Claude Code, which gives it to the model. */
export const sessionOf = ({ metadata }: Request): string | null =>
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=[^-0-9a-f]*$)/.exec(metadata?.user_id ?? '')?.[0] ?? null;

/** The task that Ralph's prompt is about. */
export function taskOf(asked: Request): number | null {
  const text = blocksOf(asked, 'user').map(textOf).join('\n');
  const found = /^## Your task: #(\d+)/m.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

export function textOf({ text, content }: Block): string {
  if (typeof text === 'string') return text;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: Block) => String(part['text'] ?? '')).join('') : '';
}

function stream(turn: Said, index: number): string {
  const isTool = 'tool' in turn;
  const block = isTool
    ? { type: 'tool_use', id: `toolu_${index}_${crypto.randomUUID()}`, name: turn.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: turn.text };
  const { usage = { input_tokens: 10, output_tokens: 10 } } = turn;
  const message = {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage,
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The environment in which Claude Code talks to the scripted model, and nothing of whoever runs it. */
export const scriptedEnv = (home: string, url: string): Record<string, string> => ({
  HOME: home,
  RALPH_SANDBOX: 'off',
  PATH: `${dirname(CLAUDE)}:${process.env['PATH']}`,
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'dummy-key-of-a-test',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '1',
  // For a server that a test lets it start: on a busy machine that takes longer than the 5 s of the default.
  MCP_CONNECT_TIMEOUT_MS: '120000',
});

/**
 * The same with a `claude` that collects no garbage, which is a third of the CPU time of a short session and frees nothing that one
 * needs. A script tells the client so: Ralph does not pass the variable on.
 */
export function thriftyEnv(home: string, url: string): Record<string, string> {
  const [folder, env] = [join(home, 'client'), scriptedEnv(home, url)];
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\nexport BUN_JSC_useGC=0\nexec '${CLAUDE}' "$@"\n`;
  writeFileSync(join(folder, 'claude'), script, { mode: 0o755 });
  return { ...env, PATH: `${folder}${delimiter}${env['PATH']}` };
}
