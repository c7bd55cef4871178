// The only parser of what agents print. Each format has a file in formats/, and all give the same events, with Claude Code's names
// for tools. The transcript, the progress, the work log and the adapters are folds over these events.
import { parseClaude } from './formats/claude.ts';
import { parseCodex } from './formats/codex.ts';
import { parseCopilot } from './formats/copilot.ts';
import { parseGemini } from './formats/gemini.ts';
import { parseOpencode } from './formats/opencode.ts';
import { parseQwen } from './formats/qwen.ts';
import { asText, type Json, numberOrNull, parseJsonLine, textOrNull } from './json.ts';

export type StreamLine = {
  text: string;
  /** Null if the line is not a JSON object. */
  json: Json | null;
  /** The line's own timestamp, if it has one. */
  at: number | null;
  /** The client's own name for the session, if the line has it. */
  session_id: string | null;
  event: StreamEvent;
};

export type StreamEvent =
  | {
      kind: 'init';
      model: string;
      /** Null if the client does not tell. */
      servers: readonly { name: string; status: string }[] | null;
      /** `none` if the person is logged in with a plan. */
      api_key_source: string;
    }
  | {
      kind: 'retry';
      attempt: number;
      max_retries: number;
      delay_ms: number;
      error: string | null;
      status: number | null;
    }
  | { kind: 'compacted' }
  /** What the model thinks, if that is a line of its own. */
  | { kind: 'thought'; text: string }
  /** What an answer has cost, if that is a line of its own. */
  | { kind: 'usage'; usage: TokenCount; cost_usd: number }
  | { kind: 'notice'; text: string }
  | AssistantEvent
  | { kind: 'user'; blocks: readonly UserBlock[] }
  | { kind: 'rate_limit'; status: string; resets_at: number | null }
  | ResultEvent
  /** An empty line, or a message for programs that no part of Ralph uses. */
  | { kind: 'ignored' }
  /** No event: the text of another agent, or a broken line. */
  | { kind: 'plain' };

export type AssistantEvent = {
  kind: 'assistant';
  /** One answer of the model may come in several lines with the same id. */
  message_id: string | null;
  /** Set if the client itself wrote the message in place of an answer. */
  error: string | null;
  /** True if a helper of the agent wrote it. */
  is_subagent: boolean;
  /** Whether its text goes on in the next line with the same id. */
  isPiece?: boolean;
  usage: TokenCount;
  blocks: readonly AssistantBlock[];
};

export type ResultEvent = {
  kind: 'result';
  /** In Claude Code's words: success, error_max_turns, ... */
  subtype: string;
  is_error: boolean;
  /** The fault table's name for the error, if the client tells it here. */
  error: string | null;
  /** The API's HTTP status if it refused for good. */
  status: number | null;
  /** Null if the client does not tell. So are cost and usage. */
  turns: number | null;
  cost_usd: number | null;
  /** Without the tokens of helpers, and after an abort without those of the last answer. */
  usage: TokenCount | null;
  /** Complete, but older clients do not report it. */
  models: readonly (TokenCount & { name: string })[];
  denials: number;
  text: string;
};

/** Cached input counts as input. */
export type TokenCount = { input_tokens: number; output_tokens: number };

type Sourced<T> = T & { json: Json };
type TextBlock = { kind: 'text'; text: string };
type OtherBlock = { kind: 'other'; type: string };

export type ToolUse = { kind: 'tool_use'; id: string; name: string; input: Json };
export type ToolResult = {
  kind: 'tool_result';
  tool_use_id: string;
  is_error: boolean;
  text: string;
  /** Set if the client does not tell whether a command failed. */
  isEndUnknown?: boolean;
};
export type AssistantBlock = Sourced<
  /** A result stands here if the client prints it together with the call. */
  TextBlock | { kind: 'thinking'; text: string } | { kind: 'redacted' } | ToolUse | ToolResult | OtherBlock
>;
export type UserBlock = Sourced<TextBlock | ToolResult | OtherBlock>;

/** Claude Code's own tools that write files. Each names the file in its input. */
export const WRITE_TOOLS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** The file that one of Claude Code's own tools reads or writes. */
export const toolPath = ({ input }: ToolUse): string | null =>
  textOrNull(input['file_path'] ?? input['notebook_path']);

/** Lines of all formats can be told apart, so a reader need not know which agent printed them. */
const FORMATS = [parseQwen, parseClaude, parseCodex, parseOpencode, parseGemini, parseCopilot];

export function parseStreamLine(text: string): StreamLine {
  const json = parseJsonLine(text);
  const event: StreamEvent = text.trim() === '' ? { kind: 'ignored' } : parseEvent(json);
  return { text, json, at: timeIn(json), session_id: sessionIn(json), event };
}

function parseEvent(json: Json | null): StreamEvent {
  if (json === null) return { kind: 'plain' };
  for (const parse of FORMATS) {
    const event = parse(json);
    if (event !== null) return event;
  }
  return { kind: 'plain' };
}

function timeIn(json: Json | null): number | null {
  const time = numberOrNull(json?.['timestamp']) ?? Date.parse(asText(json?.['timestamp']));
  return Number.isNaN(time) ? null : time;
}

const sessionIn = (json: Json | null): string | null =>
  json === null
    ? null
    : textOrNull(json['thread_id'] ?? json['sessionID'] ?? json['session_id'] ?? json['sessionId']);
