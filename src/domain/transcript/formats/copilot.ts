// What `copilot --output-format json` prints: events with their fields below `data`.
import { asList, asNumber, asObject, asText, type Json, numberOrNull } from '../json.ts';
import type { AssistantBlock, StreamEvent } from '../parse.ts';
import { answer, failedResult, ownName, result, toolCall, toolResult } from './event.ts';

const FAMILIES = /^(?:session|assistant|tool|user|system|hook|skill|abort|permission|subagent|mcp|model)\b/;

export function parseCopilot(json: Json): StreamEvent | null {
  const type = asText(json['type']);
  const data = asObject(json['data']);
  switch (type) {
    case 'session.mcp_servers_loaded':
      return parseServers(data);
    case 'model.call_failure':
      return parseRetry(data);
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

/** A server that still starts is neither there nor lost. */
function parseServers(data: Json): StreamEvent {
  const servers = asList(data['servers'])
    .map(asObject)
    .map(({ name, status }) => ({ name: asText(name), status: asText(status) }))
    .filter(({ status }) => status !== 'disabled');
  const isSettled = servers.every(({ status }) => status !== 'pending');
  return { kind: 'init', model: '', servers: isSettled ? servers : null, api_key_source: '' };
}

/** After its last try an error of the session follows. */
const MAX_RETRIES = 5;

function parseRetry(data: Json): StreamEvent {
  const attempt = asNumber(data['retryAttempt']) + 1;
  const status = numberOrNull(data['statusCode']);
  const error = status === null ? 'server_error' : null;
  return { kind: 'retry', attempt, max_retries: MAX_RETRIES, delay_ms: 0, error, status };
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
        withPath(asObject(call['arguments'])),
        call,
      ),
    ),
  ];
  const output_tokens = asNumber(data['outputTokens']);
  return answer(asText(data['messageId']), blocks, { input_tokens: 0, output_tokens });
}

const withPath = (input: Json): Json =>
  typeof input['path'] === 'string' ? { ...input, file_path: input['path'] } : input;

/** A command that failed counts as a success of its tool. */
function parseResult(data: Json): StreamEvent {
  const { content, message } = { ...asObject(data['result']), ...asObject(data['error']) };
  const code = numberOrNull(asObject(data['shellExecution'])['exitCode']) ?? 0;
  const text = (asText(message) || asText(content)).replace(SHELL_END, '');
  const isFailed = data['success'] === false || code !== 0;
  const shown = code === 0 ? text : `Exit code ${code}\n${text}`;
  return { kind: 'user', blocks: [toolResult(asText(data['toolCallId']), isFailed, shown, data)] };
}

const SHELL_END = /\n?<shellId: \S+ completed with exit code \d+>\s*$/;

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
