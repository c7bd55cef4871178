// The stream-json of Claude Code. Qwen Code prints it, too, with its own names for tools.
import { asList, asNumber, asObject, asText, type Json, numberOrNull, textOrNull } from '../json.ts';
import type {
  AssistantBlock,
  AssistantEvent,
  ResultEvent,
  StreamEvent,
  TokenCount,
  UserBlock,
} from '../parse.ts';
import { ownName } from './event.ts';

/** Null for a line that is not of this format. */
export function parseClaude(json: Json): StreamEvent | null {
  const type = asText(json['type']);
  switch (type) {
    case 'system':
      return parseSystem(json);
    case 'assistant':
      return parseAssistant(json);
    case 'user':
      return { kind: 'user', blocks: messageBlocks(json).map(parseUserBlock) };
    case 'result':
      // The results of other clients have these.
      return 'status' in json || 'exitCode' in json ? null : parseResult(json);
    case 'rate_limit_event': {
      const { status, resetsAt } = asObject(json['rate_limit_info']);
      return { kind: 'rate_limit', status: asText(status), resets_at: numberOrNull(resetsAt) };
    }
    default:
      return IGNORED_TYPES.includes(type) ? { kind: 'ignored' } : null;
  }
}

/** Messages for the programs around Claude Code. */
const IGNORED_TYPES = [
  ...['stream_event', 'tool_progress', 'tool_use_summary', 'prompt_suggestion'],
  ...['auth_status', 'control_request', 'control_response', 'keep_alive'],
];

function parseSystem(json: Json): StreamEvent {
  switch (json['subtype']) {
    case 'init':
      return {
        kind: 'init',
        model: asText(json['model']),
        servers: asList(json['mcp_servers'])
          .map(asObject)
          .map(({ name, status }) => ({ name: asText(name), status: asText(status) })),
        api_key_source: asText(json['apiKeySource']),
      };
    case 'compact_boundary':
      return { kind: 'compacted' };
    case 'api_retry':
      return {
        kind: 'retry',
        attempt: asNumber(json['attempt']),
        max_retries: asNumber(json['max_retries']),
        delay_ms: asNumber(json['retry_delay_ms']),
        error: textOrNull(json['error']),
        status: numberOrNull(json['error_status']),
      };
    default:
      // The others (task_started, hook_response, ...) matter only if they have a text for people.
      return { kind: 'notice', text: asText(json['text']) };
  }
}

function parseAssistant(json: Json): AssistantEvent {
  const message = asObject(json['message']);
  return {
    kind: 'assistant',
    message_id: asText(message['id']) || null,
    error: textOrNull(json['error']),
    is_subagent: typeof json['parent_tool_use_id'] === 'string',
    usage: countTokens(asObject(message['usage']), API_TOKENS),
    blocks: messageBlocks(json).map(parseAssistantBlock),
  };
}

/** The content of a message is a list of blocks or one text. */
function messageBlocks(json: Json): Json[] {
  const { content } = asObject(json['message']);
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content).map(asObject);
}

function parseAssistantBlock(json: Json): AssistantBlock {
  switch (json['type']) {
    case 'text':
      return { kind: 'text', text: asText(json['text']), json };
    case 'thinking':
      return { kind: 'thinking', text: asText(json['thinking']), json };
    case 'redacted_thinking':
      return { kind: 'redacted', json };
    case 'tool_use': {
      const { id, name, input } = json;
      const ownTool = ownName(asText(name), 'mcp__ralph__');
      return { kind: 'tool_use', id: asText(id), name: ownTool, input: asObject(input), json };
    }
    default:
      return { kind: 'other', type: asText(json['type']), json };
  }
}

function parseUserBlock(json: Json): UserBlock {
  switch (json['type']) {
    case 'text':
      return { kind: 'text', text: asText(json['text']), json };
    case 'tool_result': {
      const { tool_use_id, is_error, content } = json;
      const text = toolResultText(content);
      return {
        kind: 'tool_result',
        tool_use_id: asText(tool_use_id),
        is_error: is_error === true,
        text,
        json,
      };
    }
    default:
      return { kind: 'other', type: asText(json['type']), json };
  }
}

/** A part that cannot be printed, such as an image, is named. */
function toolResultText(content: unknown): string {
  if (typeof content === 'string') return content.trimEnd();
  const parts = asList(content).map(asObject);
  return parts
    .map(({ type, text }) => (typeof text === 'string' ? text : `(${asText(type) || 'something'})`))
    .join('\n')
    .trimEnd();
}

function parseResult(json: Json): ResultEvent {
  const models = Object.entries(asObject(json['modelUsage']));
  return {
    kind: 'result',
    subtype: asText(json['subtype']),
    is_error: json['is_error'] === true,
    status: numberOrNull(json['api_error_status']),
    turns: asNumber(json['num_turns']),
    cost_usd: asNumber(json['total_cost_usd']),
    usage: countTokens(asObject(json['usage']), API_TOKENS),
    error: null,
    models: models.map(([name, usage]) => ({ name, ...countTokens(asObject(usage), MODEL_TOKENS) })),
    denials: asList(json['permission_denials']).length,
    text: asText(json['result']),
  };
}

type TokenKeys = { input: readonly string[]; output: string };

const API_TOKENS: TokenKeys = {
  input: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  output: 'output_tokens',
};
const MODEL_TOKENS: TokenKeys = {
  input: ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'],
  output: 'outputTokens',
};

const countTokens = (usage: Json, { input, output }: TokenKeys): TokenCount => ({
  input_tokens: input.reduce((sum, key) => sum + asNumber(usage[key]), 0),
  output_tokens: asNumber(usage[output]),
});
