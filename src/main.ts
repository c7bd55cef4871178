// The `ralph` command. Only this file reads argv and env, prints, and exits.
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import type { Screen, World } from './app/world.ts';
import { commandFirst } from './cli/command-first.ts';
import { watchInterrupts } from './cli/interrupts.ts';
import { Refusal } from './domain/refusal.ts';
import { maskSecrets } from './domain/secrets/mask-secrets.ts';
import { visible } from './domain/text/text.ts';
import { hasControllingTerminal } from './host/processes/read-caller.ts';
import type { StopSignals } from './supervisor/input.ts';

/** The commit of the build; the build fills it in. */
declare const COMMIT: string | null;

const { env, stdout, stderr } = process;
const argv = [...process.argv.slice(0, 2), ...commandFirst(process.argv.slice(2))];

const isTerminal = stdout.isTTY === true && env['TERM'] !== 'dumb';

const world: World = {
  cwd: currentFolder(),
  env,
  now: Date.now,
  version: packageJson.version,
  commit: COMMIT,
  program: { node: process.execPath, script: fileURLToPath(import.meta.url) },
  terminal: {
    columns: Number(env['COLUMNS']) || (isTerminal ? stdout.columns : Number.POSITIVE_INFINITY),
    color: isTerminal && (env['NO_COLOR'] ?? '') === '',
    // A getter: opening standard input takes time, and few commands ask.
    get ask() {
      return isTerminal && process.stdin.isTTY ? ask : null;
    },
  },
  hasTerminal: hasControllingTerminal,
  pipes: {
    get stdin() {
      return process.stdin;
    },
    takeStdout: () => serverOutput ?? takeStdout(),
    log: (text) => void stderr.write(text),
    print: (text) => void stdout.write(text),
    screen: isTerminal ? screen() : null,
    interrupts,
    exit: (code) => process.exit(code),
  },
};

function screen(): Screen {
  return {
    write: (text) => void stdout.write(text),
    // Read each time: a person may resize the terminal during a run.
    size: () => ({
      columns: Math.min(Number(env['COLUMNS']) || Number.POSITIVE_INFINITY, stdout.columns || 80),
      rows: stdout.rows || 24,
    }),
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
  };
}

/** Ends the running session in good order; null if none is running. */
let endWork: (() => void) | null = null;

function interrupts(): StopSignals {
  const { signals, end } = watchInterrupts();
  endWork = end;
  return signals;
}

/** Returns standard output with its real write; every other print would break the caller's protocol and goes to standard error. */
function takeStdout(): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The caller notices by its own write that the reader is gone, and ends in good order.
  stdout.removeListener('error', readerGone).on('error', () => {});
  return new Proxy(stdout, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

stdout.on('error', readerGone);
// If standard error cannot be written either, nothing can be reported.
stderr.on('error', () => {});
// First thing, before any module of the server is loaded: none of them can print into its protocol.
const isServer = isServe(argv[2]) && !argv.some((word) => word === '--help' || word === '-h');
const serverOutput = isServer ? takeStdout() : null;

/** `mcp` is what clients call that start Ralph by npx. */
function isServe(word: string | undefined): boolean {
  return word === 'serve' || word === 'mcp';
}

/** The folder may have been deleted; a command that needs it says so. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '.';
  }
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: stdout });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

const print = {
  out: (text: string) => void stdout.write(text),
  err: (text: string) => void stderr.write(text),
};
function readerGone(error: NodeJS.ErrnoException): void {
  // The reader is gone (`ralph list | head`), or the terminal was closed: no one reads an error message.
  const isGone = error.code === 'EPIPE' || (error.code === 'EIO' && isTerminal);
  if (!isGone) print.err(`ralph: The output cannot be written (${error.code}).\n`);
  // To exit now would leave the running session to the next run; settle it first.
  if (endWork === null) process.exit(isGone ? 0 : 1);
  stdout.removeListener('error', readerGone).on('error', () => {});
  endWork();
}

async function main(): Promise<number> {
  // This is how MCP clients start Ralph: the server needs nothing of the command line.
  if (argv.length === 3 && isServe(argv[2])) {
    const { serveStdio } = await import('./cli/serve/stdio.ts');
    await serveStdio({ ...world, project: env['RALPH_PROJECT'] || world.cwd, asJson: false });
    return 0;
  }
  // Claude Code starts it at every turn and waits for it.
  if (argv.length === 3 && argv[2] === 'statusline') {
    const { readStatusLine } = await import('./cli/claude-code/statusline.ts');
    const { text } = await readStatusLine({ ...world, project: env['RALPH_PROJECT'] || world.cwd });
    if (text !== '') print.out(`${text}\n`);
    return 0;
  }
  const { runCommand } = await import('./cli/command-line.ts');
  return runCommand(argv, world, print);
}

function explain(error: unknown): number {
  if (isInterrupted(error)) {
    print.err('\nralph: Stopped; nothing was changed.\n');
    return 130;
  }
  const sentence = error instanceof Refusal ? error.message : (fileProblem(error) ?? bug(error));
  print.err(`ralph: ${visible(maskSecrets(env)(sentence))}\n`);
  return 1;
}

void main()
  .catch(explain)
  .then((exitCode) => {
    process.exitCode = exitCode;
  });

/** Ctrl-C or Ctrl-D at a question. */
function isInterrupted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ABORT_ERR';
}

/** The file system refused: not a bug, and the person can repair it. */
function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  return `${path ?? 'A file'} cannot be used (${code}); check the file and its permissions.`;
}

function bug(error: unknown): string {
  if (env['RALPH_DEBUG'] && error instanceof Error) return error.stack ?? error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `Unexpected error: ${message}. Please report it; RALPH_DEBUG=1 shows where.`;
}
