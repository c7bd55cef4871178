import { expect, it } from 'vitest';
import { heardOf, NOT_RUN } from '../../src/supervisor/agent-end.ts';
import { claude } from '../../src/supervisor/agents/claude.ts';

const heard = (...lines: object[]) =>
  lines.flatMap((line) => claude.observe(JSON.stringify(line))).reduce(heardOf, NOT_RUN);

const uses = (name: string, input: object) => ({
  type: 'assistant',
  message: { id: 'msg', content: [{ type: 'tool_use', name, input }] },
});

it('tells which files a session wrote, each once', () => {
  const { files, usage } = heard(
    uses('Write', { file_path: 'a.ts' }),
    uses('Edit', { file_path: 'a.ts' }),
    uses('NotebookEdit', { notebook_path: 'b.ipynb' }),
    uses('Read', { file_path: 'c.ts' }),
  );
  expect(files).toEqual(['a.ts', 'b.ipynb']);
  expect(usage.turns).toBe(4);
});

it('believes its limits only from what the client itself says', () => {
  const limited = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 7 } };
  expect(heard(limited).limited_until).toBe(7_000);
  const warned = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 7 } };
  expect(heard(warned).limited_until).toBeNull();
  const talked = {
    type: 'assistant',
    message: { content: [{ type: 'text', text: JSON.stringify(limited) }] },
  };
  expect(heard(talked)).toMatchObject({ limited_until: null, fault: null });
});

it('asks for the model of the next session in its last words', () => {
  const result = { type: 'result', subtype: 'success', result: 'Too hard.\n<next-model>opus</next-model>' };
  expect(heard(result).next_model).toBe('opus');
});

it.each(['', 'not json', '[]', 'null', '{"type":"assistant","message":{"content":"text"}}', '{"type":7}'])(
  'is not thrown off by the line %s',
  (line) => expect(() => claude.observe(line)).not.toThrow(),
);
