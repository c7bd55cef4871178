// What `codex exec --json` prints. It tells answers apart only by their items, so each item counts as one.
import { asList, asNumber, asObject, asText, type Json, numberOrNull } from '../json.ts';
import type { AssistantBlock, ResultEvent, StreamEvent, ToolResult } from '../parse.ts';
import { answer, failedResult, result, toolCall, toolResult } from './event.ts';

export function parseCodex(json: Json): StreamEvent | null {
  const item = asObject(json['item']);
  switch (json['type']) {
    case 'thread.started':
      return { kind: 'init', model: '', servers: null, api_key_source: '' };
    case 'turn.started':
    case 'item.updated':
      return { kind: 'ignored' };
    case 'item.started':
      return 'id' in item ? parseStart(item) : null;
    case 'item.completed':
      return 'id' in item ? parseItem(item) : null;
    case 'turn.completed':
      return parseEnd(asObject(json['usage']));
    case 'turn.failed':
      return parseFailure(asText(asObject(json['error'])['message']));
    case 'error':
      // The other clients print more fields.
      return typeof json['message'] === 'string' && Object.keys(json).length === 2
        ? parseError(json['message'])
        : null;
    default:
      return null;
  }
}

/** Calls are shown when they begin, because they may take long. */
function parseStart(item: Json): StreamEvent {
  const block = callIn(item);
  return block === null ? { kind: 'ignored' } : answer(asText(item['id']), [block]);
}

function callIn(item: Json): AssistantBlock | null {
  const id = asText(item['id']);
  switch (item['type']) {
    case 'command_execution':
      return toolCall(id, 'Bash', { command: commandIn(asText(item['command'])) }, item);
    case 'mcp_tool_call': {
      const name = `mcp__${asText(item['server'])}__${asText(item['tool'])}`;
      return toolCall(id, name, asObject(item['arguments']), item);
    }
    case 'web_search':
      return toolCall(id, 'WebSearch', { query: item['query'] }, item);
    default:
      return null;
  }
}

/** Codex wraps each command into a shell. */
const commandIn = (line: string): string => /^\S*sh -l?c '([^']*)'$/.exec(line)?.[1] ?? line;

function parseItem(item: Json): StreamEvent {
  const id = asText(item['id']);
  switch (item['type']) {
    case 'agent_message':
      return answer(id, [{ kind: 'text', text: asText(item['text']), json: item }]);
    case 'reasoning':
      return { kind: 'thought', text: asText(item['text']) };
    case 'file_change':
      return parseChanges(id, item);
    case 'error':
      return { kind: 'notice', text: asText(item['message']) };
    default:
      return callIn(item) === null
        ? { kind: 'ignored' }
        : { kind: 'user', blocks: [{ ...resultIn(id, item), json: item }] };
  }
}

/** Only the end of a change names all of its files. */
function parseChanges(id: string, item: Json): StreamEvent {
  const changes = asList(item['changes']).map(asObject);
  const calls = changes.map((change, index) =>
    toolCall(`${id}_${index}`, 'Edit', { file_path: change['path'], kind: change['kind'] }, change),
  );
  const isFailed = item['status'] === 'failed';
  const results = calls.map((_, index) => toolResult(`${id}_${index}`, isFailed, '', item));
  return answer(id, [...calls, ...results]);
}

function resultIn(id: string, item: Json): ToolResult {
  const failure = asText(asObject(item['error'])['message']);
  if (item['type'] !== 'command_execution') {
    const content = asList(asObject(item['result'])['content']).map(asObject);
    const text = failure || content.map((part) => asText(part['text'])).join('\n');
    return toolResult(id, item['status'] === 'failed', text, item);
  }
  const code = numberOrNull(item['exit_code']);
  const output = asText(item['aggregated_output']);
  const isFailed = item['status'] === 'failed' || (code !== null && code !== 0);
  return toolResult(id, isFailed, isFailed && code !== null ? `Exit code ${code}\n${output}` : output, item);
}

/** Of the whole thread, also after it was resumed. */
function parseEnd(usage: Json): ResultEvent {
  const { input_tokens, output_tokens } = usage;
  return result({ input_tokens: asNumber(input_tokens), output_tokens: asNumber(output_tokens) });
}

/** While Codex tries again, it tells the reason in parentheses. */
function parseError(message: string): StreamEvent {
  const [, attempt, of, reason] = /^Reconnecting\.\.\. (\d+)\/(\d+)(?: \((.*)\))?$/s.exec(message) ?? [];
  if (attempt === undefined) return { kind: 'ignored' };
  const { error, status } = symptomIn(reason ?? '');
  return { kind: 'retry', attempt: Number(attempt), max_retries: Number(of), delay_ms: 0, error, status };
}

const parseFailure = (message: string): ResultEvent => failedResult(symptomIn(message), message);

/** Codex has no field for these, but fixed words of its own, at fixed places. */
function symptomIn(message: string): { error: string | null; status: number | null } {
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(message)?.[1];
  if (status !== undefined) return { error: null, status: Number(status) };
  if (/^You.ve hit your usage limit/.test(message)) return { error: 'usage_limit', status: null };
  if (/^We.re currently experiencing high demand/.test(message)) return { error: 'overloaded', status: null };
  if (/^(?:stream disconnected|error sending request|connection failed|request timed out)/i.test(message))
    return { error: 'server_error', status: null };
  return { error: 'unknown', status: null };
}
