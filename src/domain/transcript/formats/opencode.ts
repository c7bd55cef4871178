// What `opencode run --format json` prints: one line for each part of an answer, and the cost of each step.
import { asNumber, asObject, asText, type Json, numberOrNull } from '../json.ts';
import type { ResultEvent, StreamEvent } from '../parse.ts';
import { answer, failedResult, ownName, toolCall, toolResult } from './event.ts';

export function parseOpencode(json: Json): StreamEvent | null {
  if (typeof json['sessionID'] !== 'string') return null;
  const part = asObject(json['part']);
  const message = asText(part['messageID']);
  switch (json['type']) {
    case 'step_start':
      return { kind: 'ignored' };
    case 'text':
      return answer(message, [{ kind: 'text', text: asText(part['text']), json: part }]);
    case 'reasoning':
      return { kind: 'thought', text: asText(part['text']) };
    case 'tool_use':
      return parseTool(message, part);
    case 'step_finish':
      return parseStep(part);
    case 'error':
      return parseError(asObject(json['error']));
    default:
      return null;
  }
}

/** Printed when the call is over, with its result. */
function parseTool(message: string, part: Json): StreamEvent {
  const id = asText(part['callID']);
  const { status, input, output, error, metadata } = asObject(part['state']);
  const call = toolCall(id, ownName(asText(part['tool']), 'ralph_'), withPath(asObject(input)), part);
  const exit = numberOrNull(asObject(metadata)['exit']);
  const isFailed = status === 'error' || (exit !== null && exit !== 0);
  const text = asText(error) || asText(output);
  const shown = exit !== null && exit !== 0 ? `Exit code ${exit}\n${text}` : text;
  return answer(message, [call, toolResult(id, isFailed, shown, part)]);
}

const withPath = (input: Json): Json =>
  typeof input['filePath'] === 'string' ? { ...input, file_path: input['filePath'] } : input;

function parseStep({ tokens, cost }: Json): StreamEvent {
  const { input, output, reasoning, cache } = asObject(tokens);
  const { read, write } = asObject(cache);
  const usage = {
    input_tokens: asNumber(input) + asNumber(read) + asNumber(write),
    output_tokens: asNumber(output) + asNumber(reasoning),
  };
  return { kind: 'usage', usage, cost_usd: asNumber(cost) };
}

const ERRORS: Readonly<Record<string, string>> = {
  ProviderAuthError: 'authentication_failed',
  ProviderModelNotFoundError: 'model_not_found',
};

function parseError({ name, data }: Json): ResultEvent {
  const { message, statusCode } = asObject(data);
  const status = numberOrNull(statusCode);
  const error = ERRORS[asText(name)] ?? (status === null ? 'unknown' : null);
  return failedResult({ error, status }, asText(message));
}
