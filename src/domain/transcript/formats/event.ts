// Parts of events that several formats make.
import type { Json } from '../json.ts';
import type {
  AssistantBlock,
  AssistantEvent,
  ResultEvent,
  TokenCount,
  ToolResult,
  ToolUse,
} from '../parse.ts';

const NO_TOKENS: TokenCount = { input_tokens: 0, output_tokens: 0 };

export const answer = (
  message_id: string,
  blocks: readonly AssistantBlock[],
  usage: TokenCount = NO_TOKENS,
): AssistantEvent => ({
  kind: 'assistant',
  message_id: message_id === '' ? null : message_id,
  error: null,
  is_subagent: false,
  usage,
  blocks,
});

export const toolCall = (id: string, name: string, input: Json, json: Json): ToolUse & { json: Json } => ({
  kind: 'tool_use',
  id,
  name,
  input,
  json,
});

export const toolResult = (
  tool_use_id: string,
  is_error: boolean,
  text: string,
  json: Json,
): ToolResult & { json: Json } => ({
  kind: 'tool_result',
  tool_use_id,
  is_error,
  text: text.trimEnd(),
  json,
});

/** The end of a session whose client counts neither turns nor cost. */
export const result = (usage: TokenCount | null): ResultEvent => ({
  kind: 'result',
  subtype: 'success',
  is_error: false,
  error: null,
  status: null,
  turns: null,
  cost_usd: null,
  usage,
  models: [],
  denials: 0,
  text: '',
});

export const failedResult = (
  { error, status }: { error: string | null; status: number | null },
  text: string,
): ResultEvent => ({ ...result(null), is_error: true, error, status, text });

// Other agents' names for tools, in Claude Code's words.

const OWN_NAMES: Readonly<Record<string, string>> = {
  bash: 'Bash',
  shell: 'Bash',
  run_shell_command: 'Bash',
  write: 'Write',
  create: 'Write',
  write_file: 'Write',
  edit: 'Edit',
  replace: 'Edit',
  patch: 'Edit',
  read: 'Read',
  view: 'Read',
  read_file: 'Read',
  glob: 'Glob',
  grep: 'Grep',
};

/** `prefix`: what the client puts before the names of Ralph's tools. */
export const ownName = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? `mcp__ralph__${name.slice(prefix.length)}` : (OWN_NAMES[name] ?? name);
