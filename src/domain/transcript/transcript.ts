// Turns a line of an agent's stream into entries for a reader. Any line that is not Claude Code's stream-json is plain text.
import {
  asList,
  asNumber,
  asObject,
  asText,
  blocksOf,
  type Json,
  parseJsonLine,
  toolResultText,
} from './stream-json.ts';

/** `characters`: the length before the text was cut. */
export type Excerpt = { text: string; characters: number };

export type Entry =
  | { kind: 'started'; model: string; servers: readonly { name: string; status: string }[] }
  | ({ kind: 'text' | 'thought' | 'told' | 'line' } & Excerpt)
  | { kind: 'tool'; name: string; on: string }
  | ({ kind: 'answer'; is_error: boolean; lines: number } & Excerpt)
  | { kind: 'retry'; attempt: number; of: number; error: string; status: number; delay_ms: number }
  | Result
  | { kind: 'note'; text: string };

export type Result = {
  kind: 'result';
  /** Claude Code's own name for it: success, error_max_turns, ... */
  ending: string;
  is_error: boolean;
  /** The API's HTTP status if it refused for good, otherwise 0. */
  status: number;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** Tools that the session was not allowed to use. */
  denials: number;
} & Excerpt;

const MAX_PROSE = 20_000;
/** Readers rarely need more of a tool's result: they can open the file or the log itself. */
const MAX_ANSWER = 2_000;
const MAX_SHORT_TEXT = 300;

/** An entry and the JSON it was made from: a block or the whole line. Null if the line is not JSON. */
export type Part = { entry: Entry; source: Json | null };

export const readEntries = (line: string): Entry[] => readParts(line).map(({ entry }) => entry);

export function readParts(line: string, json: Json | null = parseJsonLine(line)): Part[] {
  if (line.trim() === '') return [];
  const blockParts = (entries: (block: Json) => Entry[]): Part[] =>
    blocksOf(json ?? {}).flatMap((block) => entries(block).map((entry) => ({ entry, source: block })));
  switch (json?.['type']) {
    case 'system':
      return systemEntries(json).map((entry) => ({ entry, source: json }));
    case 'assistant':
      return blockParts(assistantEntries);
    case 'user':
      return blockParts(userEntries);
    case 'result':
      return [{ entry: resultEntry(json), source: json }];
    default:
      if (IGNORED_TYPES.includes(asText(json?.['type']))) return [];
      return [{ entry: { kind: 'line', ...excerpt(line.trimEnd(), MAX_ANSWER) }, source: null }];
  }
}

/** Messages for the programs around Claude Code; a person does not need them. */
const IGNORED_TYPES = [
  ...['rate_limit_event', 'stream_event', 'tool_progress', 'tool_use_summary', 'prompt_suggestion'],
  ...['auth_status', 'control_request', 'control_response', 'keep_alive'],
];

function systemEntries(json: Json): Entry[] {
  const subtype = asText(json['subtype']);
  if (subtype === 'init') {
    const servers = asList(json['mcp_servers'])
      .map(asObject)
      .map(({ name, status }) => ({ name: shortText(name), status: shortText(status) }));
    return [{ kind: 'started', model: shortText(json['model']), servers }];
  }
  if (subtype === 'compact_boundary') return [{ kind: 'note', text: 'The conversation was compacted.' }];
  if (subtype !== 'api_retry') {
    // The others (task_started, hook_response, ...) matter only if they have a text for people.
    const text = shortText(json['text']);
    return text === '' ? [] : [{ kind: 'note', text }];
  }
  return [
    {
      kind: 'retry',
      attempt: asNumber(json['attempt']),
      of: asNumber(json['max_retries']),
      error: shortText(json['error']),
      status: asNumber(json['error_status']),
      delay_ms: asNumber(json['retry_delay_ms']),
    },
  ];
}

function assistantEntries(block: Json): Entry[] {
  switch (block['type']) {
    case 'text':
      return proseEntries('text', block['text']);
    case 'thinking':
      return proseEntries('thought', block['thinking']);
    case 'tool_use':
      return [{ kind: 'tool', name: shortText(block['name']), on: toolTarget(asObject(block['input'])) }];
    case 'redacted_thinking':
      return [];
    default:
      return [{ kind: 'note', text: shortText(block['type']) || 'block' }];
  }
}

function userEntries(block: Json): Entry[] {
  if (block['type'] === 'text') return proseEntries('told', block['text']);
  if (block['type'] !== 'tool_result') return [{ kind: 'note', text: shortText(block['type']) || 'block' }];
  const text = toolResultText(block['content']);
  const lines = text === '' ? 0 : countLines(text);
  return [{ kind: 'answer', is_error: block['is_error'] === true, lines, ...excerpt(text, MAX_ANSWER) }];
}

function proseEntries(kind: 'text' | 'thought' | 'told', value: unknown): Entry[] {
  const text = asText(value).trim();
  return text === '' ? [] : [{ kind, ...excerpt(text, MAX_PROSE) }];
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The arguments that best describe a call, best first: of Claude Code's own tools, then of Ralph's verbs. */
const TARGET_ARGUMENTS = [
  ...['file_path', 'notebook_path', 'command', 'pattern', 'path', 'uri', 'url', 'query'],
  ...['summary', 'reason', 'question', 'what', 'text', 'on', 'description', 'prompt'],
];

function toolTarget(input: Json): string {
  const key = TARGET_ARGUMENTS.find((name) => shortText(input[name]) !== '');
  if (key !== undefined) return shortText(input[key]);
  const plain = Object.entries(input).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value));
  return shortText(plain.map(([name, value]) => `${name}: ${shortText(String(value))}`).join(', '));
}

function resultEntry(json: Json): Entry {
  const usage = asObject(json['usage']);
  const inputs = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return {
    kind: 'result',
    ending: shortText(json['subtype']),
    is_error: json['is_error'] === true,
    status: asNumber(json['api_error_status']),
    turns: asNumber(json['num_turns']),
    input_tokens: inputs.reduce((sum, name) => sum + asNumber(usage[name]), 0),
    output_tokens: asNumber(usage['output_tokens']),
    cost_usd: asNumber(json['total_cost_usd']),
    denials: asList(json['permission_denials']).length,
    ...excerpt(asText(json['result']).trim(), MAX_ANSWER),
  };
}

const shortText = (value: unknown): string => excerpt(asText(value).trim(), MAX_SHORT_TEXT).text;

function excerpt(text: string, limit: number): Excerpt {
  const characters = text.length;
  if (characters <= limit) return { text, characters };
  // Copy the text through JSON: V8 keeps the whole huge line in memory as long as a slice of it lives.
  const copy: string = JSON.parse(JSON.stringify(text.slice(0, limit)));
  return { text: copy, characters };
}
