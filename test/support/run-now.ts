// Runs a program while the test waits, as `execFileSync` does, but by a small shell: the system copies the page tables of the
// process that forks, and for the worker of a test that takes longer than most of git's commands.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { SHELL, scriptOf } from './shell-starter.ts';

type Options = { cwd: string; env: Readonly<Record<string, string | undefined>> };

let shell: { folder: string; orders: number; answers: number } | null = null;

/** Answers with what it printed. If it failed, the error has what it said. */
export function runNow(command: string, args: readonly string[], options: Options): string {
  shell ??= openShell();
  const { folder, orders, answers } = shell;
  const [out, err] = [join(folder, 'out'), join(folder, 'err')];
  writeFileSync(join(folder, 'script'), scriptOf(command, args, options, { input: '/dev/null', out, err }));
  writeSync(orders, 'script\n');
  const answer = Buffer.alloc(16);
  const code = answer.toString('utf8', 0, readSync(answers, answer)).trim();
  if (code === '0') return readFileSync(out, 'utf8');
  throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${readFileSync(err, 'utf8')}`);
}

/** One for a worker. It ends with it: then nobody has the other end of its orders. */
function openShell(): { folder: string; orders: number; answers: number } {
  const folder = mkdtempSync(join(dirname(inject('worker')), 'now-'));
  const [orders, answers] = [join(folder, 'orders'), join(folder, 'answers')];
  execFileSync('mkfifo', [orders, answers]);
  spawn('/bin/sh', ['-c', `exec <orders >answers; ${SHELL}`], {
    cwd: folder,
    env: {},
    detached: true,
    stdio: 'ignore',
  }).unref();
  // In the order of the shell: each waits until the other end is there.
  return { folder, orders: openSync(orders, 'w'), answers: openSync(answers, 'r') };
}
