import { expect, it } from 'vitest';
import { firstFailure } from '../../src/domain/first-failure.ts';

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
  ['what Ralph itself noticed', '(Ralph ended it after 600 seconds.)', '(Ralph ended it after 600 seconds.)'],
  [
    'a runner that reports nothing but totals',
    '2 suites\n# duration_ms 130',
    'gate test failed (npm test, exit code 1)',
  ],
  ['silence', '', 'gate test failed (npm test, exit code 1)'],
])('finds the line that names the failure in the output of %s', (_, tail, line) => {
  expect(of(tail)).toBe(line);
});
