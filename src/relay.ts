#!/usr/bin/env node
// What a client of a supervised session starts: it passes MCP on to the supervisor, and asks it on behalf of a hook. It holds
// no database and no rule, only the token of its session. Node's own modules only: a client waits for its start.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const { argv, env, stdin, stdout, stderr } = process;

const GONE =
  'Not recorded: Ralph is gone, or closed the connection before it confirmed this. End your turn; the next run resumes the task.';

/** A longer line is passed on, but cannot be answered here. */
const MAX_LINE = 16 * 1024 * 1024;
/** After the client has closed its end: for a verb that is being recorded. */
const LAST_ANSWERS_MS = 2_000;

type Message = { id?: unknown; method?: unknown };

/** `isWhole`: not in the middle of a message. */
type MessageReader = { read(chunk: Buffer): void; isWhole(): boolean };

if (argv[2] === 'hook') askAbout(argv[4] ?? '', argv[3] ?? '');
// Without a path, one that leads nowhere.
else passOn(env['RALPH_SOCKET'] || '/dev/null', env['RALPH_TOKEN'] ?? '');

function passOn(path: string, token: string): void {
  const open = new Set<unknown>();
  let refusal: string | null = null;
  const answerOpen = (): void => {
    for (const id of open) {
      const error = { code: -32_000, message: refusal ?? GONE };
      stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
    }
    open.clear();
  };
  const socket = connect(path);
  socket.write(`${JSON.stringify({ token })}\n`);
  let isOver = false;
  const requests = messageReader(({ id, method }) => {
    if (id !== undefined && method !== undefined) open.add(id);
  });
  stdin.on('data', (chunk) => {
    requests.read(chunk);
    if (refusal !== null) answerOpen();
    if (isOver && requests.isWhole()) process.exit(0);
  });
  stdin.on('end', () => {
    if (refusal !== null || socket.destroyed) process.exit(0);
    setTimeout(() => process.exit(0), LAST_ANSWERS_MS).unref();
  });
  stdin.pipe(socket);
  readFirstLine((line, rest) => {
    const sentence = parse(line)['refused'];
    if (typeof sentence === 'string') return refuseAll(sentence);
    const answers = messageReader(({ id, method }) => {
      if (method === undefined) open.delete(id);
    });
    socket.on('data', answers.read);
    socket.on('close', end);
    socket.unshift(rest);
    socket.pipe(stdout, { end: false });
  });
  // The client is gone; nothing is left to do.
  stdout.on('error', () => process.exit(0));

  /** Reads the rest of a request first: it is to be answered, too. */
  function end(): void {
    refusal ??= GONE;
    isOver = true;
    answerOpen();
    if (requests.isWhole() || stdin.readableEnded) process.exit(0);
    stdin.resume();
  }

  /** Stays, so that the model reads why: a client that sees its server end tells it less. */
  function refuseAll(sentence: string): void {
    refusal ??= sentence;
    stdin.unpipe(socket);
    socket.destroy();
    answerOpen();
    if (stdin.readableEnded) process.exit(0);
    stdin.resume();
  }

  function readFirstLine(found: (line: string, rest: Buffer) => void): void {
    let head = Buffer.alloc(0);
    const lost = (): void => refuseAll(GONE);
    const look = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\n');
      if (end < 0) return;
      socket.off('data', look).off('close', lost).pause();
      found(head.subarray(0, end).toString(), head.subarray(end + 1));
    };
    // `close` follows every error.
    socket
      .on('data', look)
      .on('close', lost)
      .on('error', () => {});
  }
}

/** Exit code 2 sends the text to the model, and 0 lets Claude Code go on. */
function askAbout(hook: string, configFile: string): void {
  let answer = '';
  const end = ({ exitCode, text }: { exitCode: number; text: string }): never => {
    stderr.write(text);
    process.exit(exitCode);
  };
  try {
    const { RALPH_SOCKET, RALPH_TOKEN } = JSON.parse(readFileSync(configFile, 'utf8')).mcpServers.ralph.env;
    const socket = connect(RALPH_SOCKET);
    socket.write(`${JSON.stringify({ token: RALPH_TOKEN, hook })}\n`);
    stdin.pipe(socket);
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => {}).on('close', () => end(hookAnswer(hook, answer)));
  } catch {
    end(hookAnswer(hook, ''));
  }
}

/** Without Ralph nothing that the agent does counts any more: it may end its turn, and use no tool. */
function hookAnswer(hook: string, answer: string): { exitCode: number; text: string } {
  const { exitCode, text } = parse(answer);
  if (typeof exitCode === 'number' && typeof text === 'string') return { exitCode, text };
  return hook === 'guard'
    ? { exitCode: 2, text: 'Ralph is gone or did not answer, so no tool may be used. End your turn.\n' }
    : { exitCode: 0, text: '' };
}

/** Calls `each` with every message of a stream of lines. Bytes that are no message are the server's to refuse. */
function messageReader(each: (message: Message) => void): MessageReader {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  const read = (chunk: Buffer): void => {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const last = others.pop();
    length += first.length;
    if (length <= MAX_LINE) parts.push(first);
    if (last === undefined) return;
    for (const line of [parts.join(''), ...others]) each(parse(line));
    parts = [last];
    length = last.length;
  };
  return { read, isWhole: () => length === 0 };
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
