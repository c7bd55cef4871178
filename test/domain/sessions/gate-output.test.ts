import { expect, it } from 'vitest';
import { firstFailure } from '../../../src/domain/sessions/gate-output.ts';

const of = (tail: string): string => firstFailure({ name: 'test', command: 'npm test', exit_code: 1, tail });

it.each([
  [
    'TAP',
    '> tidy@1 test\n> node --test\n\nTAP version 13\n# Subtest: slug\nok 1 - slug\n# Subtest: count\nnot ok 2 - count\n  ---\n  duration_ms: 3\n# fail 1\n# duration_ms 130',
    'not ok 2 - count',
  ],
  [
    'Vitest',
    ' RUN  v4\n ✓ a.test.ts (3 tests)\n FAIL  test/retry.test.ts > retries\nAssertionError: expected 1 to be 2',
    'FAIL  test/retry.test.ts > retries',
  ],
  ['Vitest in colour', '\x1b[32m✓\x1b[39m a\n\x1b[31m   × retries once\x1b[39m 4ms', '× retries once 4ms'],
  ['the spec reporter of Node', '✔ slug (1ms)\n✖ count (2ms)\nℹ tests 2', '✖ count (2ms)'],
  [
    'Go',
    '=== RUN   TestA\n--- FAIL: TestRetry (0.00s)\n    retry_test.go:41: got 1',
    '--- FAIL: TestRetry (0.00s)',
  ],
  ['Jest', 'Tests: 0 failed so far\nPASS a.test.js\nFAIL b.test.js\n  ● adds', 'FAIL b.test.js'],
  [
    'TypeScript',
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
  ],
  ['pytest', 'test_a.py .F\n=== FAILURES ===\n    assert 1 == 2', 'assert 1 == 2'],
  [
    'a stack',
    'node:internal/modules\nTypeError: x is not a function\n    at y',
    'TypeError: x is not a function',
  ],
  ['cargo', 'running 2 tests\nthread main panicked at src/lib.rs:4', 'thread main panicked at src/lib.rs:4'],
  [
    'pnpm around Vitest',
    ' FAIL  test/a.test.ts > adds\nAssertionError: expected 1 to be 2\n Test Files  1 failed (1)\n ELIFECYCLE  Command failed with exit code 1.',
    'FAIL  test/a.test.ts > adds',
  ],
  [
    'pnpm in a workspace',
    'Scope: 2 of 3\npackages/a test$ vitest run\npackages/a test:  FAIL  src/x.test.ts > adds\npackages/a test: Failed\n/repo/packages/a:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  a@1 test: `vitest run`\nExit status 1',
    'packages/a test:  FAIL  src/x.test.ts > adds',
  ],
  [
    'npm around a command that says nothing',
    '> a@1 lint\n> check\nnpm error Lifecycle script `lint` failed with error:\nnpm error code 1',
    'gate test failed (npm test, exit code 1)',
  ],
  [
    'yarn around tsc',
    "$ tsc\nsrc/a.ts:3:5 - error TS2322: Type 'string'.\nerror Command failed with exit code 2.",
    "src/a.ts:3:5 - error TS2322: Type 'string'.",
  ],
  [
    'pytest with its summary',
    'test_a.py .F\n=== FAILURES ===\nE    assert 1 == 2\n=== short test summary info ===\nFAILED test_a.py::test_adds - assert 1 == 2\n=== 1 failed, 1 passed in 0.02s ===',
    'FAILED test_a.py::test_adds - assert 1 == 2',
  ],
  [
    'ESLint',
    "\n/repo/src/a.js\n  1:7   warning  'y' is unused  no-unused-vars\n  3:5   error    'x' is not defined  no-undef\n\n✖ 2 problems (1 error, 1 warning)",
    "/repo/src/a.js:3:5 error 'x' is not defined no-undef",
  ],
  ['mypy', 'a.py:3: error: Incompatible types\nFound 1 error in 1 file', 'a.py:3: error: Incompatible types'],
  [
    'ruff',
    'a.py:1:8: F401 `os` imported but unused\nFound 1 error.',
    'a.py:1:8: F401 `os` imported but unused',
  ],
  [
    'a compile error of cargo',
    'Compiling a v0.1.0\nerror[E0308]: mismatched types\n --> src/lib.rs:2:5\nerror: could not compile `a`',
    'error[E0308]: mismatched types',
  ],
  [
    'a failed test of cargo',
    'running 2 tests\ntest adds ... FAILED\ntest result: FAILED. 0 passed; 1 failed',
    'test adds ... FAILED',
  ],
  ['mocha', '  1 passing\n  1 failing\n\n  1) sum\n       adds:\n     AssertionError: 1 == 2', '1) sum'],
  [
    'make around a compiler',
    'cc a.c\na.c:3:5: error: expected ;\nmake: *** [Makefile:2: all] Error 1',
    'a.c:3:5: error: expected ;',
  ],
  ['prettier', 'Checking formatting...\n[warn] src/a.ts\n[warn] Code style issues found.', '[warn] src/a.ts'],
  ['what Ralph itself noticed', '(Ralph ended it after 600 seconds.)', '(Ralph ended it after 600 seconds.)'],
  [
    'a runner that reports nothing but totals',
    '2 suites\n# duration_ms 130',
    'gate test failed (npm test, exit code 1)',
  ],
  [
    'a Python without the module',
    '/usr/bin/python3: No module named mypy',
    '/usr/bin/python3: No module named mypy',
  ],
  ['a hook of its own words', 'Checking\nREADME.rst may not be changed\n', 'README.rst may not be changed'],
  ['silence', '', 'gate test failed (npm test, exit code 1)'],
])('the line that names the failure is found in the output of %s', (_, tail, line) => {
  expect(of(tail)).toBe(line);
});
