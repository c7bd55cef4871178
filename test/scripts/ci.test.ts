// What CI runs, and what it does where a part of the tests cannot run.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import offerPostgres from '../support/postgres-server.ts';
import { tempDir } from '../support/temp.ts';

it('the script of CI tells the tests that they run in CI', () => {
  const programs = tempDir();
  for (const [name, line] of [
    ['npm', 'echo "CI=$CI: npm $*"'],
    ['bwrap', 'true'],
    ['socat', 'true'],
    ['openssl', 'true'],
  ] as const) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const env = { PATH: `${programs}:${process.env['PATH']}` };
  const lines = execFileSync('.ci/run', { env, encoding: 'utf8' }).trim().split('\n');
  expect(lines.at(-1)).toBe('CI=1: npm test');
});

it('a machine without PostgreSQL ends the tests in CI, and skips those on PostgreSQL elsewhere', async () => {
  const provide = vi.fn();
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
  vi.stubEnv('CI', '1');
  await expect(offerPostgres({ provide }, 'it has no package')).rejects.toThrow('it has no package');
  expect(provide).not.toHaveBeenCalled();
  vi.stubEnv('CI', '');
  await offerPostgres({ provide }, 'it has no package');
  const sentence = expect.stringContaining('it has no package');
  expect(provide).toHaveBeenCalledWith('postgres', { problem: sentence });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('They are skipped'));
});
