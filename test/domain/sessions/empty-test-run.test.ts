import { describe, expect, it } from 'vitest';
import { findEmptyTestRunner } from '../../../src/domain/sessions/gate-output.ts';

describe('a pass that tested nothing', () => {
  it.each([
    ['vitest', 'No test files found, exiting with code 0\n'],
    ['vitest', '\u001b[2m      Tests \u001b[22m no tests\n'],
    ['jest', 'No tests found, exiting with code 0\nRun with `--passWithNoTests`'],
    ['mocha', '\n\n  0 passing (1ms)\n\n'],
    ['node:test', '# tests 0\n# suites 0\n# pass 0\n'],
    ['node:test', 'ℹ tests 0\nℹ pass 0\n'],
    ['pytest', 'collected 0 items\n\n=== no tests ran in 0.01s ==='],
    ['go test', '?   \texample.com/a\t[no test files]\n'],
    ['go test', 'ok  \texample.com/a\t0.002s [no tests to run]\n'],
    ['cargo', 'running 0 tests\n\ntest result: ok. 0 passed\n\n   Doc-tests x\n\nrunning 0 tests\n'],
  ])('a pass of %s that ran no test is recognised', (runner, output) => {
    expect(findEmptyTestRunner(output)).toBe(runner);
  });
});

describe('a pass that tested something', () => {
  it.each([
    ['Test Files  3 passed (3)\n     Tests  41 passed (41)\n'],
    ['  12 passing (30ms)\n'],
    ['# tests 5\n# pass 5\n'],
    ['# tests 0\n# pass 0\n# tests 7\n# pass 7\n'],
    ['collected 7 items\n\n=== 7 passed in 0.1s ==='],
    ['ok  \texample.com/a\t0.2s\n?   \texample.com/b\t[no test files]\n'],
    ['running 4 tests\n....\n\n   Doc-tests x\n\nrunning 0 tests\n'],
    ['Checked 12 files. No errors.\n'],
    ['The word "No tests found" in the middle of a line is nobody\'s report.\n'],
    [''],
  ])('a pass that ran tests is accepted: %j', (output) => {
    expect(findEmptyTestRunner(output)).toBeNull();
  });
});
