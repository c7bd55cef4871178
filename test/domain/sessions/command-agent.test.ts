// What a person may say of an agent of their own: placeholders, and how its failures look.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fillCommand,
  matchFault,
  patternProblem,
  placeholderProblem,
} from '../../../src/domain/sessions/command-agent.ts';
import { tries } from '../../support/tries.ts';

const VALUES = {
  mcp_config: '/m.json',
  model: '{budget}',
  prompt_file: '/p.md',
  max_turns: '50',
  budget: '2',
  session_id: 's-1',
};

it('placeholders of a command are replaced once, and other braces stay', () => {
  const command = ['a', '--m={model}', '{mcp_config}:{max_turns}', '{}', '{"x": 1}', 'a{b,c}'];
  expect(fillCommand(command, VALUES)).toEqual([
    'a',
    '--m={budget}',
    '/m.json:50',
    '{}',
    '{"x": 1}',
    'a{b,c}',
  ]);
});

it('an unknown placeholder is refused with the nearest known one', () => {
  expect(placeholderProblem(['x', '{mcp_config}', '{}'])).toBeNull();
  expect(placeholderProblem(['x', '{mpc_config}'])).toBe(
    'has the placeholder {mpc_config}; did you mean {mcp_config}?',
  );
  expect(placeholderProblem(['{zzzzzzzz}'])).toContain('there are {mcp_config}, {model}');
});

it('a fault is matched by an exit code or by a line of standard error, a login before a limit', () => {
  const faults = { limit: [75, 'rate limit|quota'], auth: ['^401\\b'] };
  const match = (exit_code: number | null, errors = '') => matchFault(faults, { exit_code, errors });
  expect([match(75), match(1, 'x\nQuota is used up'), match(1, 'x\n401 no'), match(1, 'no 401')]).toEqual([
    'usage_limit',
    'usage_limit',
    'not_logged_in',
    null,
  ]);
  expect(match(75, '401')).toBe('not_logged_in');
});

it.each([
  ['(a+)+$', 'repeats a group'],
  ['(a|a)*b', 'repeats a group'],
  ['a*a*a*b', 'more than 2 repetitions'],
  ['(?=a)b', 'looks ahead'],
  ['(a)\\1', 'looks ahead, behind or back'],
  ['[', 'is not a regular expression'],
  ['a?'.repeat(4), 'question marks'],
  ['(a|a)'.repeat(4), 'alternatives in groups'],
  ['x'.repeat(201), 'longer than'],
  [0, 'no exit code'],
  [1.5, 'no exit code'],
])('the pattern %s is refused: it %s', (pattern, problem) => {
  expect(patternProblem(pattern)).toContain(problem);
});

it('no accepted pattern takes long, whatever the agent prints', () => {
  const part = fc.constantFrom(
    'a',
    'a*',
    'a+',
    '.*',
    'a?',
    '[ab]*',
    '(a|a)',
    '(a|)',
    '\\w+',
    '$',
    '^',
    'a{1,9}',
  );
  const pattern = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, (text) => {
      if (patternProblem(text) !== null) return;
      const began = performance.now();
      matchFault({ limit: [text], auth: [] }, { exit_code: 1, errors: `${'a'.repeat(4_000)}!\n`.repeat(30) });
      // A pattern that backtracks without a bound would take years.
      expect(performance.now() - began).toBeLessThan(20_000);
    }),
    { numRuns: tries(100) },
  );
});
