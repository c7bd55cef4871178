// What Qwen Code prints otherwise than Claude Code, whose stream-json it has: its failures, and how a command ended.
import { asNumber, asObject, asText, type Json } from '../json.ts';
import type { AssistantEvent, ResultEvent, StreamEvent, UserBlock } from '../parse.ts';
import { parseClaude } from './claude.ts';

/** Null for a line that is as Claude Code would print it. */
export function parseQwen(json: Json): StreamEvent | null {
  switch (json['type']) {
    case 'system':
      return json['subtype'] === 'retry' ? parseRetry(json) : null;
    case 'assistant': {
      const event = parseClaude(json);
      return event?.kind === 'assistant' && isFailure(event) ? { ...event, error: 'unknown' } : null;
    }
    case 'user': {
      const event = parseClaude(json);
      return event?.kind === 'user' && event.blocks.some((block) => commandIn(block) !== null)
        ? { ...event, blocks: event.blocks.map(withExitCode) }
        : null;
    }
    case 'result': {
      const { message } = asObject(json['error']);
      const event = typeof message === 'string' ? parseClaude(json) : null;
      return event?.kind === 'result' ? { ...event, ...parseFailure(asText(message)) } : null;
    }
    default:
      return null;
  }
}

const parseRetry = (json: Json): StreamEvent => ({
  kind: 'retry',
  attempt: asNumber(json['attempt']),
  max_retries: asNumber(json['maxRetries']),
  delay_ms: asNumber(json['delayMs']),
  error: null,
  status: null,
});

const FAILURE = /^(?:\[API Error: |Quota exhausted: )/;

/** The client writes such a message in place of an answer, which would have cost tokens. */
function isFailure({ usage, blocks }: AssistantEvent): boolean {
  const [first] = blocks;
  return usage.output_tokens === 0 && first?.kind === 'text' && FAILURE.test(first.text);
}

/** Words of the client, which begin with the status of the API if there is one. */
function parseFailure(message: string): Pick<ResultEvent, 'error' | 'status' | 'text'> {
  const [, text = message] = /^\[API Error: (.*)\]/s.exec(message) ?? [];
  if (message.startsWith('Quota exhausted: ')) return { error: 'usage_limit', status: null, text };
  const isUnreachable = /^(?:Connection error|Request timed out)\b/.test(text);
  const status = /^(\d{3}) /.exec(text)?.[1];
  return {
    error: isUnreachable ? 'server_error' : 'unknown',
    status: status === undefined ? null : Number(status),
    text,
  };
}

const COMMAND = /^Command: .*?\nOutput: (.*)\nError: (.*?)\nExit Code: (\d+|\(none\))\nSignal: /s;

const commandIn = (block: UserBlock): RegExpExecArray | null =>
  block.kind === 'tool_result' && block.text.startsWith('Command: ') ? COMMAND.exec(block.text) : null;

/** As Claude Code shows the end of a command. */
function withExitCode(block: UserBlock): UserBlock {
  const [, output = '', error, exit] = commandIn(block) ?? [];
  if (block.kind !== 'tool_result' || exit === undefined) return block;
  const text = [output, error].filter((part) => part !== '(none)' && part !== '(empty)').join('\n');
  return { ...block, text: exit === '0' ? text : `Exit code ${exit}\n${text}`.trimEnd() };
}
