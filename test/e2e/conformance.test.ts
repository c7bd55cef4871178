// The MCP conformance suite and the Inspector (scripts/conformance.ts), beside the other tests: they wait more than they work.
import { expect, inject, it } from 'vitest';
import { run } from '../support/ralph.ts';

/** The first time it installs the suite. */
const WITHIN_MS = 600_000;

it('Ralph passes the conformance suite of MCP, and the Inspector can use it', {
  timeout: WITHIN_MS,
}, async () => {
  const script = ['--import', 'tsx', 'scripts/conformance.ts', '--brief', inject('ralph')];
  const { code, stdout, stderr } = await run(process.execPath, script, { cwd: '.', env: process.env });
  expect({ code, failed: stdout.match(/^failed .*/gm), stderr }).toMatchObject({ code: 0, failed: null });
  expect(stdout).toMatch(/^passed +inspector-modern$/m);
});
