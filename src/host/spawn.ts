// The only place that starts a process.
import { execFile } from 'node:child_process';

export type Finished = { code: number | null; stdout: string; stderr: string };

/** Runs to the end, without a shell and with no more environment than given. Never throws: a failure is a code. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string | undefined>>; timeoutMs: number },
): Promise<Finished> {
  const { cwd, env, timeoutMs } = options;
  return new Promise((done) => {
    execFile(
      command,
      [...args],
      { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        done({ code, stdout, stderr });
      },
    );
  });
}
