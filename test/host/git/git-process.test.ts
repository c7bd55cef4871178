import { expect, it, vi } from 'vitest';
import type { Starter } from '../../../src/host/processes/starter.ts';

it('a run starts its small process while its second agent is at work, and a run of one session never does', async () => {
  // The module of this worker has a starter already.
  vi.resetModules();
  const { openGitStarter, openStarterBesideAgent, runGitProcess } = await import(
    '../../../src/host/git/git-process.ts'
  );
  const ended = { code: 0, signal: null, stdout: 'small', stderr: '' };
  const starter: Starter = { run: async () => ended, close: async () => {} };
  const open = vi.fn(() => starter);
  const { close } = openGitStarter([], open);
  openStarterBesideAgent();
  expect(open).not.toHaveBeenCalled();
  openStarterBesideAgent();
  openStarterBesideAgent();
  expect(open).toHaveBeenCalledOnce();
  expect(await runGitProcess('git', ['version'], { cwd: '/', env: {}, timeoutMs: 1_000 })).toBe(ended);
  await close();
});
