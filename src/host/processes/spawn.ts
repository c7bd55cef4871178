// The only place that starts a process.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { findExecutable } from './find-executable.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `signal`: what ended it, where it did not end by itself. */
export type Finished = { code: number | null; signal: string | null; stdout: string; stderr: string };

export type RunOptions = {
  cwd: string;
  env: Environment;
  timeoutMs: number;
  /** What it reads on standard input; nothing if not given. */
  input?: string | Buffer;
  /** `latin1`: one character a byte, for output that need not be text. */
  encoding?: 'utf8' | 'latin1';
};

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Runs to the end, without a shell and with no more environment than given. Never throws: a failure is a code. In a group of its
 * own, so that Ctrl-C or a closed terminal, which Ralph answers itself, does not end it in the middle of what it writes.
 */
export function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  const { cwd, env, timeoutMs, input = '', encoding = 'utf8' } = options;
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const clock = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
    collect(stream, () => child.kill('SIGKILL')),
  );
  // A command that does not read its input closes the pipe; that is its right.
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

/** Gives back how to read what has come; no more than the limit is held. */
function collect(stream: Readable, onTooMuch: () => void): (encoding: BufferEncoding) => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) onTooMuch();
    else chunks.push(chunk);
  });
  return (encoding) => Buffer.concat(chunks).toString(encoding);
}

/** How a process came to its end; `error` where it could not even be started. */
export type Exit = { code: number | null; signal: string | null; error: string | null };

export type Started = {
  /** Null where it could not be started. */
  pid: number | null;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<Exit>;
  /** When nothing more can come from it: a descendant that has its output open keeps it open beyond its end. */
  drained: Promise<void>;
};

export type StartOptions = { cwd: string; env: Environment };

/** Starts a process as the leader of a group of its own, so that the group can be ended as one. */
export function start(command: string, args: readonly string[], { cwd, env }: StartOptions): Started {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(fileOf(command, env), [...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  const exited = endOf(child);
  const drained = new Promise<void>((over) => child.once('close', () => over()));
  const { pid = null, stdin, stdout, stderr } = child;
  return { pid, stdin, stdout, stderr, exited, drained };
}

/** For a program that a person uses: it has the terminal until it ends. */
export function runOnTerminal(
  command: string,
  args: readonly string[],
  { cwd, env }: StartOptions,
): Promise<Exit> {
  const child = spawn(fileOf(command, env), [...args], { cwd, env, stdio: 'inherit' });
  // Ctrl-C at the terminal is meant for it, and reaches Ralph as well.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return endOf(child).finally(() => process.off('SIGINT', ignore));
}

/** For a program that nobody waits for. False where there is none such. */
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
 * In a session of its own, so that a signal to Ralph's group does not reach it; with no environment, so that it carries no
 * marker; in no folder of the project. Ralph does not wait for it to end, and no other child has the pipe.
 */
export function startWatcher(command: string, args: readonly string[]): WatcherProcess {
  const child = spawn(command, [...args], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A watcher that was killed is missed only if Ralph is killed, too: then the next run ends what is left.
  child.stdin.on('error', () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return { stdin: child.stdin, exited: endOf(child) };
}

/** The system would search the folders of PATH that are relative in the project, which may have a `sh` of its own. */
const fileOf = (command: string, env: Environment): string =>
  command.includes('/') ? command : (findExecutable(command, env['PATH']) ?? `/nonexistent/${command}`);

function endOf(child: ChildProcess): Promise<Exit> {
  return new Promise((over) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      over({ code: null, signal: null, error: error.code ?? error.message }),
    );
    child.once('exit', (code, signal) => over({ code, signal, error: null }));
  });
}
