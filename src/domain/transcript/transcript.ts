// A line of an agent's stream as something to read. Claude Code's stream-json is understood; whatever else there is, is text.
import {
  answerOf,
  blocksOf,
  type Json,
  listOf,
  numberOf,
  objectOf,
  parseLine,
  textOf,
} from './stream-json.ts';

/** `characters`: how long it was before it was cut. */
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
  /** As Claude Code names it: success, error_max_turns, ... */
  ending: string;
  is_error: boolean;
  /** Of the API, where it refused for good; otherwise 0. */
  status: number;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** Tools that the session was not allowed to use. */
  denials: number;
} & Excerpt;

const MAX_PROSE = 20_000;
/** Of what a tool answered, more is rarely read: the file or the log itself is at hand. */
const MAX_ANSWER = 2_000;
const MAX_WORDS = 300;

/** An entry, and what it is an excerpt of: a block, the whole line, or null where that is no JSON. */
export type Part = { entry: Entry; said: Json | null };

export const entriesOf = (line: string): Entry[] => partsOf(line).map(({ entry }) => entry);

export function partsOf(line: string, said: Json | null = parseLine(line)): Part[] {
  if (line.trim() === '') return [];
  const ofBlocks = (entries: (block: Json) => Entry[]): Part[] =>
    blocksOf(said ?? {}).flatMap((block) => entries(block).map((entry) => ({ entry, said: block })));
  switch (said?.['type']) {
    case 'system':
      return ofSystem(said).map((entry) => ({ entry, said }));
    case 'assistant':
      return ofBlocks(ofAssistant);
    case 'user':
      return ofBlocks(ofUser);
    case 'result':
      return [{ entry: ofResult(said), said }];
    default:
      if (NOISE.includes(textOf(said?.['type']))) return [];
      return [{ entry: { kind: 'line', ...excerpt(line.trimEnd(), MAX_ANSWER) }, said: null }];
  }
}

/** What Claude Code tells the programs around it, and no person. */
const NOISE = [
  ...['rate_limit_event', 'stream_event', 'tool_progress', 'tool_use_summary', 'prompt_suggestion'],
  ...['auth_status', 'control_request', 'control_response', 'keep_alive'],
];

function ofSystem(said: Json): Entry[] {
  const subtype = textOf(said['subtype']);
  if (subtype === 'init') {
    const servers = listOf(said['mcp_servers'])
      .map(objectOf)
      .map(({ name, status }) => ({ name: words(name), status: words(status) }));
    return [{ kind: 'started', model: words(said['model']), servers }];
  }
  if (subtype === 'compact_boundary') return [{ kind: 'note', text: 'The conversation was compacted.' }];
  if (subtype !== 'api_retry') {
    // Of the others (task_started, hook_response, ...) only what is written for people.
    const text = words(said['text']);
    return text === '' ? [] : [{ kind: 'note', text }];
  }
  return [
    {
      kind: 'retry',
      attempt: numberOf(said['attempt']),
      of: numberOf(said['max_retries']),
      error: words(said['error']),
      status: numberOf(said['error_status']),
      delay_ms: numberOf(said['retry_delay_ms']),
    },
  ];
}

function ofAssistant(block: Json): Entry[] {
  switch (block['type']) {
    case 'text':
      return proseOf('text', block['text']);
    case 'thinking':
      return proseOf('thought', block['thinking']);
    case 'tool_use':
      return [{ kind: 'tool', name: words(block['name']), on: usedOn(objectOf(block['input'])) }];
    case 'redacted_thinking':
      return [];
    default:
      return [{ kind: 'note', text: words(block['type']) || 'block' }];
  }
}

function ofUser(block: Json): Entry[] {
  if (block['type'] === 'text') return proseOf('told', block['text']);
  if (block['type'] !== 'tool_result') return [{ kind: 'note', text: words(block['type']) || 'block' }];
  const text = answerOf(block['content']);
  const lines = text === '' ? 0 : countLines(text);
  return [{ kind: 'answer', is_error: block['is_error'] === true, lines, ...excerpt(text, MAX_ANSWER) }];
}

function proseOf(kind: 'text' | 'thought' | 'told', value: unknown): Entry[] {
  const text = textOf(value).trim();
  return text === '' ? [] : [{ kind, ...excerpt(text, MAX_PROSE) }];
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** What says most of a call, the best first: those of Claude Code's own tools, then those of the verbs. */
const TELLING = [
  ...['file_path', 'notebook_path', 'command', 'pattern', 'path', 'uri', 'url', 'query'],
  ...['summary', 'reason', 'question', 'what', 'text', 'on', 'description', 'prompt'],
];

function usedOn(input: Json): string {
  const key = TELLING.find((name) => words(input[name]) !== '');
  if (key !== undefined) return words(input[key]);
  const plain = Object.entries(input).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value));
  return words(plain.map(([name, value]) => `${name}: ${words(String(value))}`).join(', '));
}

function ofResult(said: Json): Entry {
  const usage = objectOf(said['usage']);
  const inputs = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return {
    kind: 'result',
    ending: words(said['subtype']),
    is_error: said['is_error'] === true,
    status: numberOf(said['api_error_status']),
    turns: numberOf(said['num_turns']),
    input_tokens: inputs.reduce((sum, name) => sum + numberOf(usage[name]), 0),
    output_tokens: numberOf(usage['output_tokens']),
    cost_usd: numberOf(said['total_cost_usd']),
    denials: listOf(said['permission_denials']).length,
    ...excerpt(textOf(said['result']).trim(), MAX_ANSWER),
  };
}

const words = (value: unknown): string => excerpt(textOf(value).trim(), MAX_WORDS).text;

function excerpt(text: string, limit: number): Excerpt {
  const characters = text.length;
  if (characters <= limit) return { text, characters };
  // Written and read back: a slice would keep the whole of a huge line in memory for as long as itself.
  const kept: string = JSON.parse(JSON.stringify(text.slice(0, limit)));
  return { text: kept, characters };
}
