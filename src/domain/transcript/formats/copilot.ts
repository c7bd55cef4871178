// What `copilot --output-format json` prints: events with their fields below `data`.
import { asList, asNumber, asObject, asText, type Json, numberOrNull } from '../json.ts';
import type { AssistantBlock, StreamEvent } from '../parse.ts';
import { answer, failedResult, result, toolCall, toolResult } from './event.ts';
import { ownName } from './names.ts';

const FAMILIES = /^(?:session|assistant|tool|user|system|hook|skill|abort|permission|subagent|mcp)\b/;

export function parseCopilot(json: Json): StreamEvent | null {
  const type = asText(json['type']);
  const data = asObject(json['data']);
  switch (type) {
    case 'assistant.message':
      return parseMessage(data);
    case 'tool.execution_complete':
      return parseResult(data);
    case 'session.error':
      return parseError(data);
    case 'result':
      return typeof json['exitCode'] === 'number' ? result(null) : null;
    default:
      return FAMILIES.test(type) && type.includes('.') ? { kind: 'ignored' } : null;
  }
}

function parseMessage(data: Json): StreamEvent {
  const calls = asList(data['toolRequests']).map(asObject);
  const text = asText(data['content']);
  const blocks: AssistantBlock[] = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text, json: data }]),
    ...calls.map((call) =>
      toolCall(
        asText(call['toolCallId']),
        ownName(asText(call['name']), 'ralph-'),
        asObject(call['arguments']),
        call,
      ),
    ),
  ];
  const output_tokens = asNumber(data['outputTokens']);
  return answer(asText(data['messageId']), blocks, { input_tokens: 0, output_tokens });
}

function parseResult(data: Json): StreamEvent {
  const { content, message } = { ...asObject(data['result']), ...asObject(data['error']) };
  const text = asText(message) || asText(content);
  return {
    kind: 'user',
    blocks: [toolResult(asText(data['toolCallId']), data['success'] === false, text, data)],
  };
}

const ERRORS: Readonly<Record<string, string>> = {
  authentication: 'authentication_failed',
  authorization: 'authentication_failed',
  quota: 'usage_limit',
  rate_limit: 'rate_limit',
};

function parseError(data: Json): StreamEvent {
  const status = numberOrNull(data['statusCode']);
  const error = ERRORS[asText(data['errorType'])] ?? (status === null ? 'unknown' : null);
  return failedResult({ error, status }, asText(data['message']));
}
