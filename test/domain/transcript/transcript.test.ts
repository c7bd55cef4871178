import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withProjectPaths } from '../../../src/domain/text/text.ts';
import { entryLine } from '../../../src/domain/transcript/entry.ts';
import { readEntries } from '../../../src/domain/transcript/transcript.ts';

const read = (...lines: object[]) => lines.flatMap((line) => readEntries(JSON.stringify(line)));
const assistant = (...content: unknown[]) => ({ message: { content }, type: 'assistant' });
const user = (...content: unknown[]) => ({ message: { content }, type: 'user' });

describe('a line of stream-json', () => {
  it('the first line names the model and the servers, in any order of its keys', () => {
    const servers = [{ status: 'connected', name: 'ralph' }];
    expect(read({ model: 'haiku', mcp_servers: servers, subtype: 'init', type: 'system' })).toEqual([
      { kind: 'started', model: 'haiku', servers: [{ name: 'ralph', status: 'connected' }] },
    ]);
  });

  it('each block of a message becomes an entry', () => {
    const entries = read(
      assistant(
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look first.' },
        { type: 'tool_use', name: 'Edit', input: { old_string: 'a', file_path: 'src/a.ts' } },
        { type: 'tool_use', name: 'Bash', input: { description: 'Run the tests', command: 'npm test' } },
        { type: 'tool_use', name: 'Other', input: { depth: 2, deep: { file_path: 'x' } } },
      ),
      user(
        { type: 'tool_result', is_error: true, content: 'one\ntwo\n' },
        { type: 'tool_result', content: [{ type: 'text', text: 'three' }, { type: 'image' }] },
        { type: 'text', text: 'Say done.' },
      ),
    );
    expect(entries).toEqual([
      { kind: 'thought', text: 'Hm.', characters: 3 },
      { kind: 'text', text: 'I look first.', characters: 13 },
      { kind: 'tool', name: 'Edit', on: 'src/a.ts' },
      { kind: 'tool', name: 'Bash', on: 'npm test' },
      { kind: 'tool', name: 'Other', on: 'depth: 2' },
      { kind: 'answer', is_error: true, lines: 2, text: 'one\ntwo', characters: 7 },
      { kind: 'answer', is_error: false, lines: 2, text: 'three\n(image)', characters: 13 },
      { kind: 'told', text: 'Say done.', characters: 9 },
    ]);
  });

  it('a retry and a result become entries, and the result counts cached tokens', () => {
    const usage = {
      input_tokens: 1,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 300,
      output_tokens: 7,
    };
    expect(
      read(
        {
          type: 'system',
          subtype: 'api_retry',
          attempt: 1,
          max_retries: 10,
          retry_delay_ms: 500,
          error_status: 429,
          error: 'rate_limit',
        },
        {
          type: 'result',
          subtype: 'success',
          is_error: true,
          api_error_status: 429,
          num_turns: 3,
          result: 'Limit.',
          total_cost_usd: 0.5,
          usage,
          permission_denials: [{}],
        },
      ),
    ).toEqual([
      { kind: 'retry', attempt: 1, of: 10, error: 'rate_limit', status: 429, delay_ms: 500 },
      {
        kind: 'result',
        ending: 'success',
        is_error: true,
        status: 429,
        turns: 3,
        input_tokens: 321,
        output_tokens: 7,
        cost_usd: 0.5,
        denials: 1,
        text: 'Limit.',
        characters: 6,
      },
    ]);
  });
});

it('messages that Claude Code writes only for programs become no entry', () => {
  expect(
    read(
      { type: 'system', subtype: 'task_started', task_id: 'x' },
      { type: 'system', subtype: 'hook_response', output: 'x' },
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
      assistant({ type: 'redacted_thinking', data: 'x' }),
      { type: 'system', subtype: 'ralph_cut', text: 'Ralph dropped a line.' },
    ),
  ).toEqual([{ kind: 'note', text: 'Ralph dropped a line.' }]);
});

it('an error that Claude Code reports as a success is shown as an error, with its text', () => {
  const lines = (result: object) => read({ type: 'result', ...result }).map(entryLine);
  const said = { is_error: true, result: 'Not logged in. Please run /login' };
  expect(lines({ ...said, subtype: 'success' })).toEqual([
    'ended by an error: Not logged in. Please run /login  0 turns  0 tokens in, 0 out  $0.00',
  ]);
  expect(lines({ subtype: 'error_during_execution', is_error: true })).toEqual([
    'ended by an error (during execution)  0 turns  0 tokens in, 0 out  $0.00',
  ]);
});

it('paths and shell lines are shortened to the folder of the project or of its slot', () => {
  expect(withProjectPaths('Edit /home/a/shop/src/a.ts', '/home/a/shop')).toBe('Edit src/a.ts');
  expect(withProjectPaths('Bash cd /home/a/shop && npm test', '/home/a/shop')).toBe('Bash npm test');
  expect(withProjectPaths('Bash ls /home/a/shop /home/a/shop-2', '/home/a/shop')).toBe(
    'Bash ls . /home/a/shop-2',
  );
  const slot = '/home/a/.local/state/ralph/slots/shop-0123456789ab/work-1/tree';
  expect(withProjectPaths(`Edit ${slot}/src/a.ts`, '/home/a/shop')).toBe('Edit src/a.ts');
  expect(withProjectPaths(`Bash cd ${slot} && npm test`, '/home/a/shop')).toBe('Bash npm test');
  expect(withProjectPaths(`x="${slot}" y=${slot}/b ${slot}s`, '/home/a/shop')).toBe(`x="." y=b ${slot}s`);
});

it('a broken line, and a line of another agent, become plain text', () => {
  const broken = '{"type":"assistant","message":{"content":[{"type":"te';
  const other = '{"type":"item.completed","item":{"text":"x"}}';
  for (const line of [broken, other, 'Working on it.', '[1, 2]', 'null'])
    expect(readEntries(line)).toEqual([{ kind: 'line', text: line, characters: line.length }]);
  expect(readEntries('  ')).toEqual([]);
});

it('a long text is cut, and its entry tells the original length', () => {
  const [text, answer] = read(
    assistant({ type: 'text', text: 'a'.repeat(1_000_000) }),
    user({ type: 'tool_result', content: 'b\n'.repeat(1_000_000) }),
  );
  expect(text).toMatchObject({ characters: 1_000_000, text: expect.stringMatching(/^a{20000}$/) });
  expect(answer).toMatchObject({ characters: 1_999_999, lines: 1_000_000 });
});

it('any JSON in any field becomes short entries', () => {
  const types = fc.constantFrom(
    'system',
    'assistant',
    'user',
    'result',
    'init',
    'api_retry',
    'text',
    'thinking',
    'tool_use',
    'tool_result',
  );
  const keys = fc.constantFrom(
    ...[
      'type',
      'subtype',
      'message',
      'content',
      'text',
      'name',
      'input',
      'mcp_servers',
      'usage',
      'num_turns',
      'result',
      'is_error',
      '__proto__',
    ],
  );
  const { line } = fc.letrec((tie) => ({
    line: fc.dictionary(keys, tie('value'), { maxKeys: 8 }),
    value: fc.oneof(
      { maxDepth: 5 },
      types,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('line'),
    ),
  }));
  const limit = 25_000;
  fc.assert(
    fc.property(line, types, (object, type) => {
      for (const entry of readEntries(JSON.stringify({ ...(object as object), type })))
        expect(JSON.stringify(entry).length).toBeLessThan(limit);
    }),
  );
});
