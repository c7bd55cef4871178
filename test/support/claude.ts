// The real Claude Code against a model that says what the test wrote down: no key, no network beyond loopback.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { type Ran, run, type TestProject } from './ralph.ts';

export const CLAUDE = resolve('node_modules/.bin/claude');

export type Turn =
  | { tool: string; input: unknown }
  | { text: string }
  | { status: number; times?: number }
  | { silence: true };

export type Request = {
  system?: unknown;
  messages: { role: string; content: string | { type: string; [key: string]: unknown }[] }[];
  tools?: { name: string; description: string; input_schema: unknown }[];
};

export type ScriptedModel = { url: string; requests: Request[] };

/** Each turn is said once: which one is due is read from the conversation, as a model would. */
export async function scriptedModel(turns: readonly Turn[]): Promise<ScriptedModel> {
  const requests: Request[] = [];
  let refused = 0;
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      response.writeHead(404).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      if (request.url?.includes('count_tokens')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}');
        return;
      }
      const asked: Request = JSON.parse(body);
      requests.push(asked);
      const said = asked.messages.filter(({ role }) => role === 'assistant').length;
      const due = turns[said] ?? { text: 'Finished.' };
      // A limit that passes: after so many refusals the next turn is said in its place.
      const isOver = 'status' in due && due.times !== undefined && refused >= due.times;
      const turn = isOver ? (turns[said + 1] ?? { text: 'Finished.' }) : due;
      if ('status' in turn) refused += 1;
      // Never answered: the session hangs until somebody ends it.
      if ('silence' in turn) return;
      if ('status' in turn) {
        const error = { type: ERRORS[turn.status] ?? 'api_error', message: 'scripted' };
        response.writeHead(turn.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ type: 'error', error }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(stream(turn, said));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const ERRORS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

type Block = { type: string; [key: string]: unknown };

export const blocksOf = ({ messages }: Request, role: string): Block[] =>
  messages
    .filter((message) => message.role === role)
    .flatMap(({ content }): Block[] =>
      typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    );

function stream(turn: Extract<Turn, { tool: string } | { text: string }>, index: number): string {
  const isTool = 'tool' in turn;
  const block = isTool
    ? { type: 'tool_use', id: `toolu_${index}`, name: turn.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: turn.text };
  const usage = { input_tokens: 10, output_tokens: 10 };
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

/** The environment in which Claude Code talks to the scripted model, and nothing of whoever runs the tests. */
export const claudeEnv = ({ home }: TestProject, { url }: ScriptedModel): NodeJS.ProcessEnv => ({
  HOME: home,
  PATH: `${dirname(CLAUDE)}:${process.env['PATH']}`,
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'dummy-key-of-a-test',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '1',
});

/** As a person or a supervisor starts it, with Ralph as its only MCP server. */
export function runClaude(
  project: TestProject,
  model: ScriptedModel,
  prompt: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const config = join(project.home, 'mcp.json');
  const ralph = { command: process.execPath, args: [inject('ralph'), 'serve'], env, alwaysLoad: true };
  writeFileSync(config, JSON.stringify({ mcpServers: { ralph } }));
  return run(
    CLAUDE,
    [
      '-p',
      prompt,
      '--output-format',
      'stream-json',
      '--verbose',
      '--mcp-config',
      config,
      '--strict-mcp-config',
      '--tools',
      'Read,Edit,Write,Bash,ReadMcpResourceTool,ListMcpResourcesTool',
      '--model',
      'haiku',
      '--max-turns',
      '30',
      '--permission-mode',
      'bypassPermissions',
    ],
    { cwd: project.root, env: claudeEnv(project, model) },
  );
}

/** What the tools answered, in order, as the model was told. */
export function toolResults({ requests }: ScriptedModel): string[] {
  const last = requests.findLast((request) => (request.tools?.length ?? 0) > 0);
  return last === undefined
    ? []
    : blocksOf(last, 'user')
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) =>
          typeof content === 'string'
            ? content
            : (content as Block[]).map(({ text }) => String(text ?? '')).join(''),
        );
}
