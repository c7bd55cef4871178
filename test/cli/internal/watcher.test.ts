// The watcher as a process of its own, with the test at the other end of its pipe.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, inject, it, onTestFinished } from 'vitest';
import { NONE, watcherCommand } from '../../../src/host/processes/watcher.ts';

function startWatcher() {
  const [command = '', ...args] = watcherCommand([process.execPath, inject('ralph')]);
  const child = spawn(command, args, { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  return { child, stdin: child.stdin, ended: once(child, 'exit') };
}

/** In a group of its own, with the marker. */
function working(marker: string): { child: ChildProcess; pid: number; ended: Promise<unknown[]> } {
  const [name = '', value = ''] = marker.split('=');
  const env = { PATH: process.env['PATH'], [name]: value };
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid: child.pid ?? 0, ended: once(child, 'exit') };
}

/** SIGQUIT is the last of the signals that it ignores; Linux tells which ones those are. */
function ignoresQuit(pid: number): boolean {
  const ignored = /^SigIgn:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${ignored}`) & 4n) !== 0n;
}

it('when its pipe closes, the watcher ends running work, and nothing that has ended', async () => {
  const [left, over] = [working('RALPH_GATE_ID=left'), working('RALPH_GATE_ID=over')];
  const { stdin, ended } = startWatcher();
  for (const [kind, { pid }, marker] of [
    ['began', left, 'RALPH_GATE_ID=left'],
    ['began', over, 'RALPH_GATE_ID=over'],
    ['over', over, 'RALPH_GATE_ID=over'],
  ] as const)
    stdin.write(`${JSON.stringify({ kind, pid, marker })}\n`);
  stdin.end();
  expect(await left.ended).toEqual([null, 'SIGTERM']);
  expect(await ended).toEqual([0, null]);
  expect(over.child.exitCode ?? over.child.signalCode).toBe(null);
});

it('when its pipe closes, the watcher also ends a process whose id it does not know yet', async () => {
  const left = working('RALPH_GATE_ID=unnamed');
  const { stdin, ended } = startWatcher();
  stdin.end(`${JSON.stringify({ kind: 'began', pid: null, marker: 'RALPH_GATE_ID=unnamed' })}\n`);
  expect(await left.ended).toEqual([null, 'SIGTERM']);
  expect(await ended).toEqual([0, null]);
});

it('the watcher forgets what it knew when nothing is at work, and hears of what begins after that', async () => {
  const [forgotten, later] = [working('RALPH_GATE_ID=forgotten'), working('RALPH_GATE_ID=later')];
  const { stdin, ended } = startWatcher();
  const began = (pid: number, id: string) =>
    `${JSON.stringify({ kind: 'began', pid, marker: `RALPH_GATE_ID=${id}` })}\n`;
  stdin.end(`${began(forgotten.pid, 'forgotten')}${NONE}\n${began(later.pid, 'later')}`);
  expect(await later.ended).toEqual([null, 'SIGTERM']);
  expect(await ended).toEqual([0, null]);
  expect(forgotten.child.exitCode ?? forgotten.child.signalCode).toBe(null);
});

it('the watcher ends no process for a line that is cut off or names no single group', async () => {
  const bystander = working('RALPH_GATE_ID=bystander');
  const { stdin, ended } = startWatcher();
  for (const pid of [0, 1, -1, -bystander.pid, 1.5, '7'])
    stdin.write(`${JSON.stringify({ kind: 'began', pid, marker: 'RALPH_GATE_ID=none' })}\n`);
  stdin.write(`${JSON.stringify({ kind: 'began', pid: null, marker: 'PATH=x' })}\nnonsense\nnull\n`);
  stdin.end(`{"kind":"began","pid":${bystander.pid},"marker":"RALPH_GATE_ID=byst`);
  expect(await ended).toEqual([0, null]);
  expect(bystander.child.exitCode ?? bystander.child.signalCode).toBe(null);
});

it('the watcher outlives the signals that are meant for Ralph', async () => {
  const { child, stdin, ended } = startWatcher();
  const left = working('RALPH_GATE_ID=outlived');
  stdin.write(`${JSON.stringify({ kind: 'began', pid: left.pid, marker: 'RALPH_GATE_ID=outlived' })}\n`);
  // Sent earlier, they would find it still starting.
  await expect.poll(() => ignoresQuit(child.pid ?? 0)).toBe(true);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) child.kill(signal);
  stdin.end();
  await left.ended;
  expect(await ended).toEqual([0, null]);
});
