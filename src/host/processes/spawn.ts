// The only place that starts a process.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { findExecutable } from './find-executable.ts';
import type { StarterAnswer, StarterRequest } from './starter.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `signal`: what killed it, if it did not end by itself. */
export type FinishedProcess = { code: number | null; signal: string | null; stdout: string; stderr: string };

export type RunOptions = {
  cwd: string;
  env: Environment;
  timeoutMs: number;
  /** Its standard input; empty by default. */
  input?: string | Buffer;
  /** `latin1`: one character per byte, for output that need not be text. */
  encoding?: 'utf8' | 'latin1';
  /** It is killed if it prints more, on either output. */
  maxOutputBytes?: number;
  /** What it has printed is read within this time after its end. */
  readWithinMs?: number;
  /** It is killed when this is aborted. */
  stop?: AbortSignal | undefined;
};

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A process that a command left behind may hold its output open for ever. */
const READ_WITHIN_MS = 5_000;

/**
 * Runs a command to its end, without a shell and with exactly this environment. Never throws: a failure is a code. It runs in its
 * own group, so that Ctrl-C or a closed terminal, which Ralph handles itself, does not kill it in the middle of a write.
 */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<FinishedProcess> {
  const { cwd, env, timeoutMs, input = '', encoding = 'utf8' } = options;
  const { maxOutputBytes = MAX_OUTPUT_BYTES, readWithinMs = READ_WITHIN_MS, stop } = options;
  const { child, exited } = attempt(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (child === null) return exited.then(({ error }) => unstarted(error));
  const kill = (): void => killGroup(child);
  const over = new AbortController();
  let clock = setTimeout(kill, timeoutMs);
  if (stop?.aborted) kill();
  stop?.addEventListener('abort', kill, { once: true, signal: over.signal });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
    collect(stream, maxOutputBytes, kill),
  );
  // A command may close its input without reading it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((done) => {
    const end = (code: number | null, signal: string | null): void => {
      clearTimeout(clock);
      over.abort();
      done({ code, signal, stdout: stdout?.(encoding) ?? '', stderr: stderr?.('utf8') ?? '' });
    };
    child.once('error', (error) => {
      clearTimeout(clock);
      over.abort();
      done(unstarted(errorCode(error)));
    });
    child.once('exit', () => {
      clearTimeout(clock);
      clock = setTimeout(() => {
        for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      }, readWithinMs);
    });
    child.once('close', end);
  });
}

const unstarted = (error: string | null): FinishedProcess => ({
  ...{ code: null, signal: null, stdout: '' },
  stderr: explainLack(error) ?? '',
});

/** `child`: null if Node threw; `exited` then has the error. */
type Attempt = { child: ChildProcess | null; exited: Promise<Exit> };

/**
 * Never throws. Node throws some errors of a start instead of emitting them: E2BIG, ENOMEM, or ENOTDIR if an agent put a file in place
 * of the folder. A child without a descriptor for its streams (EMFILE) has none.
 */
function attempt(command: string, args: readonly string[], options: SpawnOptions): Attempt {
  try {
    const child = spawn(command, [...args], options);
    return { child, exited: waitForExit(child) };
  } catch (error) {
    return { child: null, exited: Promise.resolve({ code: null, signal: null, error: errorCode(error) }) };
  }
}

const errorCode = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);

/** What the machine lacks if a start fails with one of these, and what a person can do. They say nothing about the program. */
const LACKS: ReadonlyMap<string, string> = new Map([
  ['EAGAIN', 'this machine starts no more processes for you; end some, or raise the limit (ulimit -u)'],
  ['EMFILE', 'too many files are open; raise the limit (ulimit -n), or use fewer --jobs'],
  ['ENFILE', 'too many files are open on this machine; end other programs'],
  ['ENOMEM', 'no memory is left to start a process; end other programs, or use fewer --jobs'],
  ['E2BIG', 'its arguments and its environment are too long; unset large variables, or shorten the text'],
]);

/** Null if the error is about the program itself, such as one that is not there. */
export function explainLack(error: string | null): string | null {
  const lack = LACKS.get(error ?? '');
  return lack === undefined ? null : `${lack} (${error})`;
}

/** With what it has started, such as the ssh of a git. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Returns a function that reads the output so far; stores no more than the limit. */
function collect(
  stream: Readable | null | undefined,
  maxBytes: number,
  onTooMuch: () => void,
): (encoding: BufferEncoding) => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // There is none if the system has no file descriptor left.
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return (encoding) => Buffer.concat(chunks).toString(encoding);
}

/** How a process ended; `error` if it could not be started. */
export type Exit = { code: number | null; signal: string | null; error: string | null };

export type StartedProcess = {
  /** Null if it could not be started. */
  pid: number | null;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<Exit>;
  /** Resolves when no more output can come: a descendant may hold the output open after the process has ended. */
  drained: Promise<void>;
  /** What it writes to file descriptor 3; null unless that was asked for. */
  report: Readable | null;
};

type StartOptions = { cwd: string; env: Environment; hasReport?: boolean };

/** Starts a process as the leader of its own group, so that Ralph can end the whole group. */
export function start(
  command: string,
  args: readonly string[],
  { cwd, env, hasReport = false }: StartOptions,
): StartedProcess {
  const pipes = hasReport ? 4 : 3;
  const { child, exited } = attempt(resolveCommand(command, env), args, {
    cwd,
    env,
    detached: true,
    stdio: Array.from({ length: pipes }, () => 'pipe' as const),
  });
  const { stdin, stdout, stderr } = child ?? {};
  if (!child || !stdin || !stdout || !stderr) return notStarted(exited);
  stdin.on('error', () => {});
  const drained = new Promise<void>((over) => child.once('close', () => over()));
  const report = child.stdio[3];
  return {
    pid: child.pid ?? null,
    stdin,
    stdout,
    stderr,
    exited,
    drained,
    report: report instanceof Socket ? report : null,
  };
}

/** It takes any input and says nothing. */
const notStarted = (exited: Promise<Exit>): StartedProcess => ({
  pid: null,
  stdin: new PassThrough().resume(),
  stdout: new PassThrough().end(),
  stderr: new PassThrough().end(),
  exited,
  drained: exited.then(() => {}),
  report: null,
});

/** Runs a program that a person uses: it owns the terminal until it ends. From then on, Ctrl-C does not end Ralph. */
export function runOnTerminal(
  command: string,
  args: readonly string[],
  { cwd, env }: StartOptions,
): Promise<Exit> {
  const { exited } = attempt(resolveCommand(command, env), args, { cwd, env, stdio: 'inherit' });
  // Ctrl-C at the terminal is meant for the program, but reaches Ralph as well. Whoever leaves the program by it presses it once
  // too often, and what they did there is still to be recorded.
  process.on('SIGINT', () => {});
  return exited;
}

/** Starts a program and does not wait for it. False if there is no such program. */
export function startAndForget(
  command: string,
  args: readonly string[],
  { cwd, env }: StartOptions,
): boolean {
  const file = findExecutable(command, env['PATH']);
  if (file === null) return false;
  const { child } = attempt(file, args, { cwd, env, detached: true, stdio: 'ignore' });
  child?.unref();
  return child !== null;
}

export type WatcherProcess = { stdin: Writable; exited: Promise<Exit> };

/**
 * Starts the watcher in its own session, so that a signal to Ralph's group does not reach it. It gets no environment, so that it
 * carries no marker, and no folder of the project. Ralph does not wait for its end, and no other child has the pipe.
 */
export function startWatcher([command = '', ...args]: readonly string[]): WatcherProcess {
  const { child, exited } = attempt(command, args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { stdin } = child ?? {};
  child?.unref();
  // If both the watcher and Ralph are killed, the next run ends what is left.
  stdin?.on('error', () => {});
  if (stdin instanceof Socket) stdin.unref();
  return { stdin: stdin ?? new PassThrough().resume(), exited };
}

export type StarterProcess = {
  pid: number | null;
  send(request: StarterRequest): void;
  onAnswer(listener: (answer: StarterAnswer) => void): void;
  kill(): void;
  /** Closes the channel: it ends once what it has started has ended. */
  close(): void;
  exited: Promise<Exit>;
};

/** Starts a process that starts others (starter.ts). As a watcher, it is reached by no signal to Ralph's group. */
export function startStarter(command: string, args: readonly string[], env: Environment): StarterProcess {
  const { child, exited } = attempt(command, args, {
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Output need not be text.
    serialization: 'advanced',
  });
  return {
    pid: child?.pid ?? null,
    // If it is gone, its exit says so.
    send: (request) => void child?.send?.(request, () => {}),
    onAnswer: (listener) => void child?.on('message', listener),
    kill: () => void child?.kill('SIGKILL'),
    close: () => {
      if (child?.connected) child.disconnect();
    },
    exited,
  };
}

/** The system would resolve relative entries of PATH in the project, which may contain its own `sh`. */
export const resolveCommand = (command: string, env: Environment): string =>
  command.includes('/') ? command : (findExecutable(command, env['PATH']) ?? `/nonexistent/${command}`);

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((over) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      over({ code: null, signal: null, error: error.code ?? error.message }),
    );
    child.once('exit', (code, signal) => over({ code, signal, error: null }));
  });
}
