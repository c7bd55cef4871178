// The only place that starts a process.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { findExecutable } from './find-executable.ts';

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
};

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Runs a command to its end, without a shell and with exactly this environment. Never throws: a failure is a code. It runs in its
 * own group, so that Ctrl-C or a closed terminal, which Ralph handles itself, does not kill it in the middle of a write.
 */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<FinishedProcess> {
  const { cwd, env, timeoutMs, input = '', encoding = 'utf8', maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const clock = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
    collect(stream, maxOutputBytes, () => child.kill('SIGKILL')),
  );
  // A command may close its input without reading it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((done) => {
    const end = (code: number | null, signal: string | null): void => {
      clearTimeout(clock);
      done({ code, signal, stdout: stdout?.(encoding) ?? '', stderr: stderr?.('utf8') ?? '' });
    };
    child.once('error', () => end(null, null));
    child.once('close', end);
  });
}

/** Returns a function that reads the output so far; stores no more than the limit. */
function collect(
  stream: Readable,
  maxBytes: number,
  onTooMuch: () => void,
): (encoding: BufferEncoding) => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
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

export type StartOptions = { cwd: string; env: Environment; hasReport?: boolean };

/** Starts a process as the leader of its own group, so that Ralph can end the whole group. */
export function start(
  command: string,
  args: readonly string[],
  { cwd, env, hasReport = false }: StartOptions,
): StartedProcess {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    resolveCommand(command, env),
    [...args],
    {
      cwd,
      env,
      detached: true,
      stdio: hasReport ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
    },
  );
  child.stdin.on('error', () => {});
  const exited = waitForExit(child);
  const drained = new Promise<void>((over) => child.once('close', () => over()));
  const { pid = null, stdin, stdout, stderr } = child;
  const report = child.stdio[3];
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    drained,
    report: report instanceof Socket ? report : null,
  };
}

/** Runs a program that a person uses: it owns the terminal until it ends. */
export function runOnTerminal(
  command: string,
  args: readonly string[],
  { cwd, env }: StartOptions,
): Promise<Exit> {
  const child = spawn(resolveCommand(command, env), [...args], { cwd, env, stdio: 'inherit' });
  // Ctrl-C at the terminal is meant for the program, but reaches Ralph as well.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return waitForExit(child).finally(() => process.off('SIGINT', ignore));
}

/** Starts a program and does not wait for it. False if there is no such program. */
export function startAndForget(
  command: string,
  args: readonly string[],
  { cwd, env }: StartOptions,
): boolean {
  const file = findExecutable(command, env['PATH']);
  if (file === null) return false;
  const child = spawn(file, [...args], { cwd, env, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
  return true;
}

export type WatcherProcess = { stdin: Writable; exited: Promise<Exit> };

/**
 * Starts the watcher in its own session, so that a signal to Ralph's group does not reach it. It gets no environment, so that it
 * carries no marker, and no folder of the project. Ralph does not wait for its end, and no other child has the pipe.
 */
export function startWatcher(command: string, args: readonly string[]): WatcherProcess {
  const child = spawn(command, [...args], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If both the watcher and Ralph are killed, the next run ends what is left.
  child.stdin.on('error', () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return { stdin: child.stdin, exited: waitForExit(child) };
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
