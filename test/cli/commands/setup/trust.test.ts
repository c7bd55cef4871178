import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, runWithin } from '../../../support/ralph.ts';

it('RALPH_TRUST allows exactly what its value names, and a wrong value refuses and names the command', async () => {
  const { root, home, json } = await initialised();
  await json('trust', '--yes');
  const withTrust = (value: string) =>
    runWithin(['run'], { cwd: root, env: { HOME: home, PATH: process.env['PATH'], RALPH_TRUST: value } });
  const wrong = await withTrust(`sha256:${'0'.repeat(64)}`);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('ralph trust --print') });
  writeFileSync(join(root, '.ralph/config.yaml'), 'gates: [{ name: test, command: "true" }]\n');
  const { value, trusted } = (await json('trust', '--print')) as { value: string; trusted: boolean };
  expect(trusted).toBe(false);
  expect((await withTrust(value)).stderr).not.toContain('ralph trust');
  const printed = await runWithin(['trust', '--print'], {
    cwd: root,
    env: { HOME: home, PATH: process.env['PATH'] },
  });
  expect(printed.stdout).toContain(`RALPH_TRUST=${value}`);
});
