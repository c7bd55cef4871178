// What `gemini --output-format stream-json` prints. Its answers have no id: a message or a call each count as one.
import { asList, asNumber, asObject, asText, type Json, numberOrNull, parseJsonLine } from '../json.ts';
import type { ResultEvent, StreamEvent, TokenCount, UserBlock } from '../parse.ts';
import { answer, failedResult, ownName, result, toolCall, toolResult } from './event.ts';

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
    case 'tool_result':
      return { kind: 'user', blocks: [parseResult(json)] };
    case 'error':
      return { kind: 'notice', text: asText(json['message']) };
    case 'result':
      return parseEnd(json);
    default:
      return null;
  }
}

/** How a command ended is told only if it printed nothing. */
function parseResult(json: Json): UserBlock {
  const id = asText(json['tool_id']);
  const { message } = asObject(json['error']);
  const text = asText(message) || asText(json['output']);
  const exit = /^Command exited with code: (\d+)$/.exec(text)?.[1];
  if (exit !== undefined) return toolResult(id, true, `Exit code ${exit}`, json);
  return { ...toolResult(id, json['status'] === 'error', text, json), isEndUnknown: true };
}

/** A message comes in pieces, which all count as one answer until a call follows. */
function parseMessage(json: Json): StreamEvent {
  if (json['role'] !== 'assistant') return { kind: 'ignored' };
  const message = answer('message', [{ kind: 'text', text: asText(json['content']), json }]);
  return { ...message, isPiece: json['delta'] === true };
}

function parseEnd(json: Json): StreamEvent | null {
  const { status, stats, error } = json;
  if (typeof status !== 'string') return null;
  const models = Object.entries(asObject(asObject(stats)['models']));
  const ended = status === 'success' ? result(null) : parseError(asObject(error));
  return {
    ...ended,
    usage: countTokens(stats),
    models: models.map(([name, counts]) => ({ name, ...countTokens(counts) })),
  };
}

function countTokens(stats: unknown): TokenCount {
  const { input_tokens, output_tokens } = asObject(stats);
  return { input_tokens: asNumber(input_tokens), output_tokens: asNumber(output_tokens) };
}

/** A name that is in no row of the fault table: only the adapter knows what the exit code says. */
const UNEXPLAINED = 'unexplained';

/** The client quotes the answer of the API, or puts it into words of its own. */
function parseError({ type, message }: Json): ResultEvent {
  const text = asText(message);
  if (type === 'FatalTurnLimitedError')
    return { ...failedResult({ error: null, status: null }, text), subtype: 'error_max_turns' };
  const [, words = text] = /^\[API Error: (.*)\]/s.exec(text) ?? [];
  const quoted = asObject(parseJsonLine(words)?.['error']);
  const status = statusIn(quoted);
  if (status !== null) return failedResult({ error: 'unknown', status }, asText(quoted['message']));
  const isUnreachable = words.includes('TypeError: fetch failed');
  return failedResult({ error: isUnreachable ? 'server_error' : UNEXPLAINED, status: null }, words);
}

/** To a wrong key the API answers that the request is bad, and gives the reason among the details. */
const statusIn = ({ code, details }: Json): number | null =>
  asList(details).some((detail) => asObject(detail)['reason'] === 'API_KEY_INVALID')
    ? 401
    : numberOrNull(code);
