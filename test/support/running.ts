// A `ralph run` in a process of its own whose session waits for ever: for tests that end it in some way.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { namesIn } from '../../src/files/read-text.ts';
import { findCarriers, killCarriers, type Marker } from '../../src/host/processes/reap.ts';
import { type TestProject, WITHOUT_SANDBOX } from './ralph.ts';

export type Running = {
  child: ChildProcess;
  pid: number;
  marker: Marker;
  watcher: number;
  ended: Promise<unknown[]>;
};

/** Says which session it is, and leaves a process in a session of its own, which no signal to a group reaches. */
export const ANNOUNCES =
  'setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $RALPH_SESSION_ID > ~/id.part; mv ~/id.part ~/id';

export const HANGS: Step = { shell: `${ANNOUNCES}; while :; do sleep 0.05; done` };

/** Answers when its session is at work and the watcher knows. */
export async function runUntilAtWork(
  { root, home }: TestProject,
  options: SpawnOptions = {},
  command: readonly string[] = [process.execPath, inject('ralph'), 'run'],
): Promise<Running> {
  const env = { ...WITHOUT_SANDBOX, HOME: home, PATH: process.env['PATH'] };
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: root, env, stdio: 'ignore', ...options });
  const ended = once(child, 'exit');
  await expect.poll(() => existsSync(join(home, 'id'))).toBe(true);
  const marker: Marker = `RALPH_SESSION_ID=${readFileSync(join(home, 'id'), 'utf8').trim()}`;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await killCarriers(marker);
  });
  expect(findCarriers(marker).length).toBeGreaterThan(1);
  const pid = supervisorOf(findCarriers(marker));
  return { child, pid, marker, watcher: watcherOf(pid), ended };
}

export function watcherOf(pid: number): number {
  const [watcher] = childrenOf(pid).filter((id) => commandOf(id).endsWith('watcher'));
  if (watcher === undefined) throw new Error('The run has no watcher.');
  return watcher;
}

/** The parent of the agent, which is the one carrier whose parent is none. */
function supervisorOf(carriers: readonly number[]): number {
  const parents = carriers.map(parentOf).filter((pid) => pid > 1 && !carriers.includes(pid));
  return parents[0] ?? 0;
}

/** Field 4, counted from the end of the name in parentheses. */
const parentOf = (pid: number): number =>
  Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0);

const childrenOf = (pid: number): number[] =>
  namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => parentOf(id) === pid);

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

export const isThere = (pid: number): boolean => commandOf(pid) !== '';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
