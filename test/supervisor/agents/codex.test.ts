import { expect, it } from 'vitest';
import { toToml } from '../../../src/supervisor/agents/codex.ts';

it('settings of every kind become TOML, one line for each key', () => {
  const settings = {
    model: 'gpt',
    verbose: true,
    limit: 3,
    args: ['a', 1, { deep: [false] }],
    'mcp servers': { ralph: { command: 'node', env: { 'A.B': 'c' } } },
    empty: {},
  };
  expect(toToml(settings)).toBe(`"model" = "gpt"
"verbose" = true
"limit" = 3
"args" = ["a", 1, { "deep" = [false] }]
"mcp servers" = { "ralph" = { "command" = "node", "env" = { "A.B" = "c" } } }
"empty" = {  }
`);
});

it('a key without a value is left out, because TOML has no null', () => {
  expect(toToml({ a: null, b: [null, 1], c: { d: null } })).toBe('"b" = [1]\n"c" = {  }\n');
});

it('characters that JSON prints and TOML forbids are replaced', () => {
  expect(toToml({ a: '\u007f and \ud800.' })).toBe('"a" = "\\u007f and \ufffd."\n');
  expect(toToml({ a: '\\ud800 and 😀' })).toBe('"a" = "\\\\ud800 and 😀"\n');
});

it('a text cannot leave its line, whatever it contains', () => {
  const text = 'a "quoted"\nsandbox_mode = "danger-full-access" \\ \t \u0000 \u007f é';
  const lines = toToml({ [text]: text }).split('\n');
  expect(lines).toHaveLength(2);
  const [key = '', value = ''] = (lines[0] ?? '').split(' = "a');
  expect(JSON.parse(key)).toBe(text);
  expect(JSON.parse(`"a${value}`)).toBe(text);
});
