import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { whileLocked } from '../../../src/host/processes/lock-file.ts';
import { identify } from '../../../src/host/processes/process-identity.ts';
import { tempDir } from '../../support/temp.ts';

it('who waits for a lock of a process that stands still is told which one it is, and the lock stays', async () => {
  const file = join(tempDir(), 'follow.lock');
  const owner = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void owner.kill('SIGKILL'));
  owner.kill('SIGSTOP');
  const pid = owner.pid ?? 0;
  const content = JSON.stringify(identify(pid));
  writeFileSync(file, content);
  const work = whileLocked(file, async () => 'done', { patienceMs: 0 });
  const told = `Process ${pid} has locked ${file} and does not go on; resume it with kill -CONT ${pid}, or end it.`;
  await expect(work).rejects.toThrow(new MachineFailed(told));
  expect(readFileSync(file, 'utf8')).toBe(content);
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
