import { expect, it } from 'vitest';
import { findHeldTask } from '../../../../src/cli/commands/setup/hook.ts';

const REMINDER = 'has no closing verb';

const call = (name: string, id = 'a') =>
  JSON.stringify({ message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] } });
const result = (content: unknown, id = 'a') =>
  JSON.stringify({ message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] } });

const held = (...lines: string[]) =>
  findHeldTask(
    (async function* () {
      yield* lines;
    })(),
    REMINDER,
  );

it.each(['mcp__ralph__next_task', 'mcp__plugin_ralph_ralph__next_task'])(
  'the task that %s gave is found, in either form of a result',
  async (name) => {
    expect(await held(call(name), result('You work.\n## Your task: #7 Log in\n'))).toBe(7);
    expect(await held(call(name), result([{ type: 'text', text: '## Your task: #8 Log out' }]))).toBe(8);
  },
);

it('the last task counts, and a refused call takes none', async () => {
  const name = 'mcp__ralph__next_task';
  const first = [call(name, 'a'), result('## Your task: #7 x', 'a')];
  expect(await held(...first, call(name, 'b'), result('## Your task: #9 y', 'b'))).toBe(9);
  expect(await held(...first, call(name, 'b'), result('You hold task 7.', 'b'))).toBe(7);
  expect(await held(call(name), result('Nothing is left.'))).toBeNull();
});

it('a file that shows the heading of a task, and a tool of another server, take none', async () => {
  expect(await held(call('Read'), result('## Your task: #7 x'))).toBeNull();
  expect(await held(call('mcp__other__next_task'), result('## Your task: #7 x'))).toBeNull();
});

it('a conversation that was reminded of its task is not reminded again, but of its next one', async () => {
  const name = 'mcp__ralph__next_task';
  const reminded = [call(name, 'a'), result('## Your task: #7 x', 'a'), `"Task 7 ${REMINDER}"`];
  expect(await held(...reminded)).toBeNull();
  expect(await held(...reminded, call(name, 'b'), result('## Your task: #8 y', 'b'))).toBe(8);
});

it.each(['', 'no JSON', '{"message":null}', '{"message":{"content":"__next_task"}}', '[1]', '{'])(
  'a strange line is passed over: %s',
  async (line) => {
    expect(await held(line, call('mcp__ralph__next_task'), line, result('## Your task: #7 x'))).toBe(7);
  },
);
