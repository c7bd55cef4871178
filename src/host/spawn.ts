// The only place that starts a process.
import { execFile } from 'node:child_process';

export type Finished = { code: number | null; stdout: string; stderr: string };

export type RunOptions = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  /** What it reads on standard input; nothing if not given. */
  input?: string;
};

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs to the end, without a shell and with no more environment than given. Never throws: a failure is a code. */
export function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  const { cwd, env, timeoutMs, input = '' } = options;
  const settings = {
    cwd,
    env,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const;
  return new Promise((done) => {
    const child = execFile(command, [...args], settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      done({ code, stdout, stderr });
    });
    // A command that does not read its input closes the pipe; that is its right.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
