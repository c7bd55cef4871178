import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { explainLack, runToEnd, start, startAndForget } from '../../../src/host/processes/spawn.ts';

const sh = (command: string, options: Partial<Parameters<typeof runToEnd>[2]>) =>
  runToEnd('/bin/sh', ['-c', command], {
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    timeoutMs: 60_000,
    ...options,
  });

it('a command that takes too long, or is stopped, ends with the processes that hold its output open', async () => {
  const late = await sh('sleep 600 & wait', { timeoutMs: 50 });
  expect(late).toMatchObject({ code: null, signal: 'SIGKILL' });
  const stop = new AbortController();
  const stopped = sh('sleep 600 & wait', { stop: stop.signal });
  stop.abort();
  expect(await stopped).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect(await sh('sleep 600', { stop: stop.signal })).toMatchObject({ signal: 'SIGKILL' });
});

it('a command is over when it has ended, even if a process that left its group holds its output open', async () => {
  const { code, stdout } = await sh('setsid sleep 5 & echo done', { readWithinMs: 50 });
  expect([code, stdout]).toEqual([0, 'done\n']);
});

it('a machine that cannot start a process is an error of the process, and says what to do', async () => {
  const options = { cwd: '/', env: {} };
  const tooLong = ['x'.repeat(200_000)];
  const child = start('/bin/true', tooLong, { ...options, hasReport: true });
  child.stdin.end('x'.repeat(200_000));
  expect(await child.exited).toEqual({ code: null, signal: null, error: 'E2BIG' });
  await child.drained;
  for (const stream of [child.stdout, child.stderr]) for await (const chunk of stream) expect(chunk).toBe('');
  const ran = await runToEnd('/bin/true', tooLong, { ...options, timeoutMs: 60_000 });
  expect(ran).toMatchObject({ code: null, stderr: expect.stringContaining('(E2BIG)') });
  expect(startAndForget('/bin/true', tooLong, options)).toBe(false);
  expect(explainLack('E2BIG')).toMatch(/too long; unset large variables.* \(E2BIG\)$/);
  expect(explainLack('ENOENT')).toBeNull();
});

it('a process that no file descriptor is left for ends with that error', () => {
  // In a process of its own: there, every descriptor can be taken.
  const script = `
    import { openSync } from 'node:fs';
    import { start } from '${resolve('src/host/processes/spawn.ts')}';
    const ended = (async () => {
      await new Promise(setImmediate);
      try { for (;;) openSync('/dev/null', 'r'); } catch {}
      const child = start('/bin/true', [], { cwd: '/', env: {} });
      child.stdin.end('x');
      for await (const chunk of child.stdout) throw chunk;
      return child.exited;
    })();
    const { error } = await ended;
    process.exitCode = error === 'EMFILE' ? 7 : 1;`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  const ran = () =>
    execFileSync('sh', ['-c', 'ulimit -n 200; exec "$@"', 'sh', ...node], { stdio: 'ignore' });
  expect(ran).toThrow(expect.objectContaining({ status: 7 }));
});

it('Ctrl-C once more than a program on the terminal needed does not end Ralph', () => {
  const script = `
    import { runOnTerminal } from '${resolve('src/host/processes/spawn.ts')}';
    await runOnTerminal('/bin/true', [], { cwd: '/', env: {} });
    process.kill(process.pid, 'SIGINT');
    await new Promise(setImmediate);
    process.exitCode = 7;`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', script];
  const ran = () => execFileSync(process.execPath, node, { stdio: 'ignore' });
  expect(ran).toThrow(expect.objectContaining({ status: 7 }));
});
