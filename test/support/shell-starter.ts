// Lets shells start the git of Ralph within a test. The system copies the page tables of the process that forks, and then each page
// that it writes to: for the worker of a test that takes longer than git itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { type FinishedProcess, type RunOptions, runToEnd } from '../../src/host/processes/spawn.ts';
import type { Starter } from '../../src/host/processes/starter.ts';

/** Runs one script after the other, each in a process of its own that becomes the program. */
export const SHELL = 'while read -r name; do (. "./$name"); echo "$?"; done';

/** What a shell answers for a program that it could not start, or a folder that it could not enter. */
const NOT_STARTED = [126, 127];
/** Below, git may have chosen the code itself: 128 and 129 are its own. */
const FIRST_SIGNAL = 130;
const signalOf = (code: number): string | null =>
  Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;

type Shell = {
  run(command: string, args: readonly string[], options: RunOptions): Promise<FinishedProcess>;
  isDead: boolean;
};

/** As many shells as there are processes at once. They end with the worker, which holds their standard input. */
export function openShellStarter(): Starter {
  const folder = mkdtempSync(join(dirname(inject('worker')), 'shells-'));
  const idle: Shell[] = [];
  let opened = 0;
  return {
    run: async (command, args, options) => {
      if (!isSimple(command, args, options)) return runToEnd(command, args, options);
      const shell = idle.pop() ?? openShell(folder, ++opened);
      const ended = await shell.run(command, args, options);
      if (!shell.isDead) idle.push(shell);
      return ended;
    },
    close: async () => {},
  };
}

/** A longer argument is refused, which a shell tells in its own words. */
const MAX_ARGUMENT = 2 ** 16;

/** Whether a shell can do it: it neither counts the output nor hears of a signal, and it knows only names that are words. */
const isSimple = (command: string, args: readonly string[], { env, cwd, ...options }: RunOptions): boolean =>
  options.stop === undefined &&
  options.maxOutputBytes === undefined &&
  Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name)) &&
  ![command, cwd, ...args, ...Object.values(env)].some(
    (text) => text !== undefined && (text.includes('\0') || text.length > MAX_ARGUMENT),
  );

function openShell(folder: string, number: number): Shell {
  const [script, input, out, err] = [`${number}.sh`, `${number}.in`, `${number}.out`, `${number}.err`];
  const child = spawn('/bin/sh', ['-c', SHELL], {
    cwd: folder,
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // Neither keeps a worker alive that has nothing else to do.
  child.unref();
  child.stdin.on('error', () => {});
  let answer: (code: number | null) => void = () => {};
  const shell: Shell = {
    isDead: false,
    run: async (command, args, { cwd, env, timeoutMs, input: text = '', encoding = 'utf8' }) => {
      if (text !== '') writeFileSync(join(folder, input), text);
      const files = { input: text === '' ? '/dev/null' : join(folder, input), out, err };
      writeFileSync(join(folder, script), scriptOf(command, args, { cwd, env }, files));
      const clock = setTimeout(() => killGroup(child), timeoutMs);
      const code = await new Promise<number | null>((ended) => {
        answer = ended;
        child.stdin.write(`${script}\n`);
      });
      clearTimeout(clock);
      const [stdout, stderr] = [read(join(folder, out), encoding), read(join(folder, err), 'utf8')];
      if (code === null) return { code: null, signal: 'SIGKILL', stdout, stderr };
      if (NOT_STARTED.includes(code)) return { code: null, signal: null, stdout: '', stderr: '' };
      if (code < FIRST_SIGNAL) return { code, signal: null, stdout, stderr };
      return { code: null, signal: signalOf(code), stdout, stderr };
    },
  };
  child.stdout.on('data', (line: Buffer) => answer(Number(line.toString())));
  child.once('exit', () => {
    shell.isDead = true;
    answer(null);
  });
  return shell;
}

/** What a shell reads to become a program, with exactly this environment. */
export const scriptOf = (
  command: string,
  args: readonly string[],
  { cwd, env }: Pick<RunOptions, 'cwd' | 'env'>,
  { input, out, err }: Readonly<Record<'input' | 'out' | 'err', string>>,
): string =>
  [
    `exec <${quote(input)} >${quote(out)} 2>${quote(err)}`,
    `cd ${quote(cwd)} || exit 127`,
    'unset PWD OLDPWD',
    ...Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [`export ${name}=${quote(value)}`],
    ),
    `exec ${[command, ...args].map(quote).join(' ')}`,
  ].join('\n');

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function read(path: string, encoding: BufferEncoding): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(fstatSync(file).size);
    return bytes.toString(encoding, 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
