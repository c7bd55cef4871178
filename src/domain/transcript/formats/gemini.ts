// What `gemini --output-format stream-json` prints. Its answers have no id: a message or a call each count as one.
import { asNumber, asObject, asText, type Json, numberOrNull } from '../json.ts';
import type { StreamEvent } from '../parse.ts';
import { answer, failedResult, result, toolCall, toolResult } from './event.ts';
import { ownName } from './names.ts';

export function parseGemini(json: Json): StreamEvent | null {
  switch (json['type']) {
    case 'init':
      return { kind: 'init', model: asText(json['model']), servers: null, api_key_source: '' };
    case 'message':
      return parseMessage(json);
    case 'tool_use': {
      const [id, name] = [asText(json['tool_id']), asText(json['tool_name'])];
      return answer(id, [toolCall(id, ownName(name, 'mcp_ralph_'), asObject(json['parameters']), json)]);
    }
    case 'tool_result': {
      const { message } = asObject(json['error']);
      const text = asText(message) || asText(json['output']);
      const block = toolResult(asText(json['tool_id']), json['status'] === 'error', text, json);
      return { kind: 'user', blocks: [block] };
    }
    case 'error':
      return { kind: 'notice', text: asText(json['message']) };
    case 'result':
      return parseEnd(json);
    default:
      return null;
  }
}

/** A message comes in pieces, which all count as one answer until a call follows. */
function parseMessage(json: Json): StreamEvent {
  if (json['role'] !== 'assistant') return { kind: 'ignored' };
  return answer('message', [{ kind: 'text', text: asText(json['content']), json }]);
}

function parseEnd(json: Json): StreamEvent | null {
  const { status, stats, error } = json;
  if (typeof status !== 'string') return null;
  const { input_tokens, output_tokens } = asObject(stats);
  const usage = { input_tokens: asNumber(input_tokens), output_tokens: asNumber(output_tokens) };
  if (status === 'success') return result(usage);
  const { type, message, code } = asObject(error);
  const text = asText(message);
  const isLimit = asText(type) === 'FatalTurnLimitedError';
  const failed = failedResult(
    { error: isLimit ? null : 'unknown', status: numberOrNull(code) ?? statusIn(text) },
    text,
  );
  return { ...failed, usage, ...(isLimit && { subtype: 'error_max_turns', status: null }) };
}

/** The client quotes the API's answer, whose error has its status as a number. */
const statusIn = (text: string): number | null =>
  numberOrNull(Number(/"code":\s*(\d{3})\b/.exec(text)?.[1] ?? Number.NaN));
