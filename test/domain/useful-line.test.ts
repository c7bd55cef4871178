import { expect, it } from 'vitest';
import { usefulLine } from '../../src/domain/useful-line.ts';

const outputs: [string, string, string][] = [
  [
    'node --test',
    '> test\n> node --test\n\nTAP version 13\n# Subtest: count\nnot ok 1 - count\n  ---\n# fail 1',
    'not ok 1 - count',
  ],
  [
    'vitest',
    ' RUN  v4\n ✓ a.test.ts (3 tests)\n × adds numbers 5ms\nAssertionError: expected 1 to be 2',
    '× adds numbers 5ms',
  ],
  [
    'tsc',
    'src/a.ts(3,1): error TS2304: Cannot find name x.\nFound 1 error.',
    'src/a.ts(3,1): error TS2304: Cannot find name x.',
  ],
  [
    'pytest',
    'collected 2 items\n0 failed so far\nFAILED test_a.py::test_b - assert 1 == 2',
    'FAILED test_a.py::test_b - assert 1 == 2',
  ],
  ['cargo', 'running 2 tests\nthread main panicked at src/lib.rs:4', 'thread main panicked at src/lib.rs:4'],
  [
    'a gate that timed out',
    'starting\n(Ralph ended it after 600 seconds.)\n',
    '(Ralph ended it after 600 seconds.)',
  ],
  ['a gate that said nothing', '\n \n', ''],
];

it.each(outputs)('finds what is wrong in the output of %s', (_, output, line) => {
  expect(usefulLine(output)).toBe(line);
});
