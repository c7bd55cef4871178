import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { findCarriers, killCarriers, type Marker } from '../../../src/host/processes/reap.ts';

it('a process is killed for its marker, although an earlier look for another marker met it', async () => {
  const marker: Marker = `RALPH_TEST=reap-${process.pid}`;
  const since = performance.now();
  const env = { PATH: process.env['PATH'], RALPH_TEST: `reap-${process.pid}` };
  const child = spawn('sleep', ['600'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await expect.poll(() => findCarriers(marker)).toEqual([child.pid]);
  expect(await killCarriers('RALPH_TEST=another')).toBe(0);
  expect(await killCarriers(marker, since)).toBe(1);
  expect(await ended).toEqual([null, 'SIGKILL']);
});
