// Turns a line of an agent's stream into entries for a reader.
import { asText, type Json } from './json.ts';
import {
  type AssistantBlock,
  parseStreamLine,
  type ResultEvent,
  type StreamEvent,
  type StreamLine,
  type ToolResult,
  type UserBlock,
} from './parse.ts';

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
  /** Null if the client does not tell, as is the cost. */
  turns: number | null;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /** Tools that the session was not allowed to use. */
  denials: number;
} & Excerpt;

const MAX_PROSE = 20_000;
/** Readers rarely need more of a tool's result: they can open the file or the log itself. */
const MAX_ANSWER = 2_000;
const MAX_SHORT_TEXT = 300;

/** An entry and the block it was made from. Null if it was made from the whole line. */
export type Part = { entry: Entry; block: AssistantBlock | UserBlock | null };

export const readEntries = (text: string): Entry[] =>
  readParts(parseStreamLine(text)).map(({ entry }) => entry);

export function readParts({ text, event }: StreamLine): Part[] {
  switch (event.kind) {
    case 'assistant':
      return event.blocks.flatMap((block) => assistantEntries(block).map((entry) => ({ entry, block })));
    case 'user':
      return event.blocks.flatMap((block) => userEntries(block).map((entry) => ({ entry, block })));
    default:
      return lineEntries(text, event).map((entry) => ({ entry, block: null }));
  }
}

type LineEvent = Exclude<StreamEvent, { kind: 'assistant' | 'user' }>;

function lineEntries(text: string, event: LineEvent): Entry[] {
  switch (event.kind) {
    case 'init':
      return [
        {
          kind: 'started',
          model: shortText(event.model),
          servers: (event.servers ?? []).map(({ name, status }) => ({
            name: shortText(name),
            status: shortText(status),
          })),
        },
      ];
    case 'retry':
      return [
        {
          kind: 'retry',
          attempt: event.attempt,
          of: event.max_retries,
          error: shortText(event.error),
          status: event.status ?? 0,
          delay_ms: event.delay_ms,
        },
      ];
    case 'thought':
      return proseEntries('thought', event.text);
    case 'compacted':
      return [{ kind: 'note', text: 'The conversation was compacted.' }];
    case 'notice': {
      const notice = shortText(event.text);
      return notice === '' ? [] : [{ kind: 'note', text: notice }];
    }
    case 'result':
      return [resultEntry(event)];
    case 'plain':
      return [{ kind: 'line', ...excerpt(text.trimEnd(), MAX_ANSWER) }];
    case 'usage':
    case 'rate_limit':
    case 'ignored':
      return [];
  }
}

function assistantEntries(block: AssistantBlock): Entry[] {
  switch (block.kind) {
    case 'text':
      return proseEntries('text', block.text);
    case 'thinking':
      return proseEntries('thought', block.text);
    case 'tool_use':
      return [{ kind: 'tool', name: shortText(block.name), on: toolTarget(block.input) }];
    case 'tool_result':
      return [answerEntry(block)];
    case 'redacted':
      return [];
    case 'other':
      return [{ kind: 'note', text: shortText(block.type) || 'block' }];
  }
}

function answerEntry({ text, is_error }: ToolResult): Entry {
  const lines = text === '' ? 0 : countLines(text);
  return { kind: 'answer', is_error, lines, ...excerpt(text, MAX_ANSWER) };
}

function userEntries(block: UserBlock): Entry[] {
  switch (block.kind) {
    case 'text':
      return proseEntries('told', block.text);
    case 'tool_result':
      return [answerEntry(block)];
    case 'other':
      return [{ kind: 'note', text: shortText(block.type) || 'block' }];
  }
}

function proseEntries(kind: 'text' | 'thought' | 'told', text: string): Entry[] {
  const prose = text.trim();
  return prose === '' ? [] : [{ kind, ...excerpt(prose, MAX_PROSE) }];
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

function resultEntry(event: ResultEvent): Result {
  return {
    kind: 'result',
    ending: shortText(event.subtype),
    is_error: event.is_error,
    status: event.status ?? 0,
    turns: event.turns,
    ...(event.usage ?? { input_tokens: 0, output_tokens: 0 }),
    cost_usd: event.cost_usd,
    denials: event.denials,
    ...excerpt(event.text.trim(), MAX_ANSWER),
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
