import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { whileLocked } from '../../../src/host/processes/lock-file.ts';
import { identify, isSuspended } from '../../../src/host/processes/process-identity.ts';
import { tempDir } from '../../support/temp.ts';

const IMPATIENT = { patienceLooks: 0 };

function startProcess(): { child: ChildProcess; pid: number } {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid: child.pid ?? 0 };
}

/** A lock of a living process, and what that process does meanwhile. */
async function locked(): Promise<{ file: string; content: string; owner: ReturnType<typeof startProcess> }> {
  const [file, owner] = [join(tempDir(), 'follow.lock'), startProcess()];
  const content = JSON.stringify(identify(owner.pid));
  writeFileSync(file, content);
  return { file, content, owner };
}

async function suspend({ child, pid }: ReturnType<typeof startProcess>): Promise<void> {
  child.kill('SIGSTOP');
  await expect.poll(() => isSuspended(identify(pid))).toBe(true);
}

const refusal = (pid: number, file: string): MachineFailed =>
  new MachineFailed(
    `Process ${pid} has locked ${file} and is suspended; resume it with kill -CONT ${pid}, or end it.`,
  );

it('a process that waits for the lock of a suspended one is told which one it is, and the lock stays', async () => {
  const { file, content, owner } = await locked();
  await suspend(owner);
  await expect(whileLocked(file, async () => 'done', IMPATIENT)).rejects.toThrow(refusal(owner.pid, file));
  expect(readFileSync(file, 'utf8')).toBe(content);
});

it('a process waits for a slow owner of a lock as long as that one is at work, and no longer', async () => {
  const { file, owner } = await locked();
  const work = whileLocked(file, async () => 'done', IMPATIENT);
  owner.child.kill('SIGKILL');
  expect(await work).toBe('done');
});

it('a process that removes the lock of a dead one and is suspended is named as well', async () => {
  const [{ file, owner }, remover] = [await locked(), startProcess()];
  const dead = identify(owner.pid);
  const ended = new Promise((over) => owner.child.once('exit', over));
  owner.child.kill('SIGKILL');
  await ended;
  writeFileSync(`${file}.${dead.pid}-${dead.process_started}`, JSON.stringify(identify(remover.pid)));
  await suspend(remover);
  const work = whileLocked(file, async () => 'done', IMPATIENT);
  await expect(work).rejects.toThrow(refusal(remover.pid, file));
});

it('two that need the same lock work one after the other, and leave no lock behind', async () => {
  const file = join(tempDir(), 'follow.lock');
  const steps: string[] = [];
  const work = async (): Promise<void> => {
    steps.push('begin');
    await new Promise((next) => setImmediate(next));
    steps.push('end');
  };
  await Promise.all([whileLocked(file, work), whileLocked(file, work)]);
  expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
  expect(existsSync(file)).toBe(false);
});
