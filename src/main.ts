#!/usr/bin/env node
// The `ralph` command: the only reader of argv and env; wires everything.
import { CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { World } from './cli/command.ts';
import { suggest } from './cli/completion.ts';
import { COMMANDS } from './cli/index.ts';
import { buildProgram } from './cli/program.ts';
import { Refusal } from './domain/refusal.ts';
import { visible } from './domain/text.ts';

const { argv, env, stdout, stderr } = process;

const isTerminal = stdout.isTTY === true && env['TERM'] !== 'dumb';

const world: World = {
  cwd: currentFolder(),
  env,
  now: Date.now,
  terminal: {
    columns: Number(env['COLUMNS']) || (isTerminal ? stdout.columns : Number.POSITIVE_INFINITY),
    color: isTerminal && (env['NO_COLOR'] ?? '') === '',
    // Looked at late: opening standard input costs every command, and few ask.
    get ask() {
      return isTerminal && process.stdin.isTTY ? ask : null;
    },
  },
};

/** Somebody may have deleted it; the command that needs it will say so. */
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
const finished = (exitCode: number): void => {
  process.exitCode = exitCode;
};

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader went away (`ralph list | head`): there is nobody left to tell.
  if (error.code === 'EPIPE') process.exit(0);
  print.err(`ralph: The output cannot be written (${error.code}).\n`);
  process.exit(1);
});

try {
  if (argv[2] === 'complete') print.out(`${await complete(argv.slice(argv[3] === '--' ? 4 : 3))}\n`);
  else await buildProgram(COMMANDS, packageJson.version, world, print, finished).parseAsync(argv);
} catch (error) {
  if (error instanceof CommanderError) finished(error.exitCode === 0 ? 0 : 2);
  else if (isInterrupted(error)) {
    finished(130);
    print.err('\nralph: Stopped; nothing was changed.\n');
  } else {
    finished(1);
    print.err(
      `ralph: ${visible(error instanceof Refusal ? error.message : (fileTrouble(error) ?? bug(error)))}\n`,
    );
  }
}

/** What the script of `ralph completion` asks for; it is no command for people. */
async function complete(words: readonly string[]): Promise<string> {
  return suggest(COMMANDS, words, { ...world, project: world.cwd, asJson: false });
}

/** Ctrl-C or Ctrl-D at a question. */
function isInterrupted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ABORT_ERR';
}

/** The file system says no: nothing of ours is wrong, and the person can mend it. */
function fileTrouble(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  return `${path ?? 'A file'} cannot be used (${code}); check what is there and its permissions.`;
}

function bug(error: unknown): string {
  if (env['RALPH_DEBUG'] && error instanceof Error) return error.stack ?? error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `Something that should not happen: ${message}. Please report it; RALPH_DEBUG=1 shows where.`;
}
