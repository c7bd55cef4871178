// Claude Code, as the measured launch line has it. The stream is parsed, never matched: key order differs by version.
import { join } from 'node:path';
import { recogniseFault, type Symptom } from '../../domain/sessions/agent-failure.ts';
import { NO_USAGE, type SessionLimit, type Usage } from '../../domain/sessions/session.ts';
import { entryLine } from '../../domain/transcript/entry.ts';
import { type Json, numberOf, objectOf } from '../../domain/transcript/stream-json.ts';
import { type Entry, entriesOf } from '../../domain/transcript/transcript.ts';
import type { Agent, Launch, LaunchSpec, McpEntry, Observation } from '../agent.ts';
import { READING_TOOLS } from '../launch-spec.ts';

/** Enough to work with, and each more is paid for in every session: Bash searches, and the prompt names the resources there are. */
const LEAN = ['Read', 'Edit', 'Write', 'Bash', 'ReadMcpResourceTool'];

export const claude: Agent = { executable: 'claude', needsServer: true, namesWrites: true, launch, observe };

function launch(plan: LaunchSpec): Launch {
  const file = (name: string): string => join(plan.folder, name);
  return {
    command: [
      'claude',
      '-p',
      `/mcp__ralph__${plan.recipe} ${plan.argument}`.trim(),
      '--output-format',
      'stream-json',
      '--verbose',
      '--mcp-config',
      file('mcp.json'),
      '--strict-mcp-config',
      '--setting-sources',
      'project,local',
      '--settings',
      file('settings.json'),
      '--tools',
      (plan.tools.length === 0 ? LEAN : plan.tools).join(','),
      '--append-system-prompt-file',
      file('system.md'),
      '--model',
      plan.model,
      '--max-turns',
      String(plan.max_turns),
      '--max-budget-usd',
      String(plan.budget_usd),
      '--permission-mode',
      plan.permissions,
      '--session-id',
      plan.client_id,
    ],
    // Without this the MCP servers would inherit the whole environment, the key included.
    env: { CLAUDE_CODE_MCP_ALLOWLIST_ENV: '1' },
    stdin: '',
    files: {
      'mcp.json': JSON.stringify({ mcpServers: plan.mcpServers }),
      'settings.json': JSON.stringify(settings(plan)),
    },
  };
}

export type Talk = {
  ralph: McpEntry;
  prompt_file: string;
  /** Is there from the moment that Ralph's server has named its tools. */
  ready_file: string;
  model: string | null;
  topic: string;
};

/**
 * On a terminal Claude Code does not wait for its servers: the first words would reach a model without Ralph's tools. It takes them
 * in a moment after it was told of them, together with prompts and resources. Later words find what is written here, and go on.
 */
const untilReady = (ready_file: string): object => {
  const file = quoted(ready_file);
  const command = `i=0; while [ ! -e ${file} ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done; [ -s ${file} ] || { sleep 1; echo > ${file}; }`;
  return { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } };
};

/** As a person uses it: their own settings, but no tool that writes, and no server but Ralph's. */
export const onTerminal = ({ ralph, prompt_file, ready_file, model, topic }: Talk): string[] => [
  'claude',
  // First: the options behind it take as many words as they find. And never an option itself.
  ...(topic === '' ? [] : [topic.startsWith('-') ? ` ${topic}` : topic]),
  '--mcp-config',
  JSON.stringify({ mcpServers: { ralph } }),
  '--strict-mcp-config',
  '--tools',
  READING_TOOLS.join(','),
  '--allowedTools',
  'mcp__ralph',
  '--settings',
  JSON.stringify(untilReady(ready_file)),
  '--append-system-prompt-file',
  prompt_file,
  ...(model === null ? [] : ['--model', model]),
];

/** The Stop hook asks for a missing closing verb; the guard and the rules keep the agent off Ralph's own files. */
function settings({ ralph }: LaunchSpec): object {
  const hook = (name: string) => ({
    type: 'command',
    command: [...ralph, 'hook', name].map(quoted).join(' '),
  });
  return {
    hooks: {
      Stop: [{ hooks: [hook('stop')] }],
      PreToolUse: [{ matcher: 'Bash|Write|Edit|NotebookEdit', hooks: [hook('guard')] }],
    },
    permissions: { deny: ['Write(.ralph/**)', 'Edit(.ralph/**)', 'Bash(rm -rf .ralph*)'] },
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

type Line = {
  type?: string;
  subtype?: string;
  mcp_servers?: { name: string; status: string }[];
  error?: string;
  error_status?: number | null;
  apiKeySource?: string;
  parent_tool_use_id?: string | null;
  is_error?: boolean;
  api_error_status?: number | null;
  num_turns?: number;
  result?: string;
  total_cost_usd?: number;
  rate_limit_info?: { status?: string; resetsAt?: number };
  usage?: Record<string, unknown>;
  modelUsage?: Record<string, unknown>;
  message?: { id?: string; content?: string | Block[] };
};

type Block = { type?: string; name?: string; text?: unknown; input?: Record<string, unknown> };

function observe(text: string): Observation[] {
  const line = parse(text);
  if (line === null) return [];
  switch (line.type) {
    case 'system':
      return ofSystem(line);
    case 'rate_limit_event':
      return ofRateLimit(line);
    case 'assistant': {
      if (typeof line.error === 'string') return ofError(line);
      const entries = entriesOf(text);
      return [
        {
          kind: 'turn',
          action: actionOf(entries),
          words: wordsOf(entries),
          answer: line.message?.id ?? null,
          files: filesOf(line),
          unnamed_writes: mayWriteUnnamed(line),
        },
      ];
    }
    case 'result':
      return [ofResult(line)];
    default:
      return [];
  }
}

function parse(text: string): Line | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? line : null;
  } catch {
    return null;
  }
}

function ofSystem({ subtype, mcp_servers = [], apiKeySource, error, error_status }: Line): Observation[] {
  if (subtype === 'init') {
    const status = mcp_servers.find(({ name }) => name === 'ralph')?.status;
    return status === 'connected'
      ? [{ kind: 'connected', isPlan: apiKeySource === 'none' }]
      : [{ kind: 'fault', fault: 'mcp_lost' }];
  }
  if (subtype !== 'api_retry') return [];
  const fault = recogniseFault(symptomOf(error, error_status));
  return fault === null ? [] : [{ kind: 'retry', fault }];
}

const symptomOf = (error: unknown, status: unknown): Symptom => ({
  error: typeof error === 'string' ? error : null,
  status: typeof status === 'number' ? status : null,
});

/** A message that the client itself wrote in place of an answer. One of a helper of the agent's is not the end of it. */
function ofError({ error = '', message, parent_tool_use_id }: Line): Observation[] {
  if (typeof parent_tool_use_id === 'string') return [];
  const { text } = blocksOf(message).find(({ type }) => type === 'text') ?? {};
  const detail = typeof text === 'string' ? (text.trim().split('\n')[0] ?? '').slice(0, 200) : '';
  return [{ kind: 'failure', error, detail: detail === '' ? null : detail }];
}

/** Text alone may come without blocks. */
const blocksOf = (message: Line['message']): Block[] =>
  Array.isArray(message?.content)
    ? message.content.filter((block) => typeof block === 'object' && block !== null)
    : [];

const WRITING = ['Edit', 'Write', 'NotebookEdit'];

/** What it writes by its own tools; what a shell line does, only the tree can tell. */
function filesOf({ message }: Line): string[] {
  const used = blocksOf(message).filter(({ name = '' }) => WRITING.includes(name));
  return used.flatMap(({ input = {} }) => {
    const path = input['file_path'] ?? input['notebook_path'];
    return typeof path === 'string' ? [path] : [];
  });
}

/** Reading, Ralph's own tools, and those that name what they write; whatever else there is may write anything. */
const HARMLESS = [
  ...WRITING,
  'Read',
  'Glob',
  'Grep',
  'LS',
  'TodoWrite',
  'ReadMcpResourceTool',
  'ListMcpResourcesTool',
];

const mayWriteUnnamed = ({ message }: Line): boolean =>
  blocksOf(message).some(
    ({ type, name = '' }) =>
      type === 'tool_use' && !HARMLESS.includes(name) && !name.startsWith('mcp__ralph__'),
  );

/** Said only to those who are logged in with a plan; others learn of a limit by the result alone. */
function ofRateLimit({ rate_limit_info: { status, resetsAt } = {} }: Line): Observation[] {
  return status === 'rejected' && typeof resetsAt === 'number'
    ? [{ kind: 'limited', until: resetsAt * 1_000 }]
    : [];
}

/** The last thing it does, in the words of every screen: the tool and what it is used on. */
function actionOf(entries: readonly Entry[]): string | null {
  const used = entries.findLast(({ kind }) => kind === 'tool');
  return used === undefined ? null : (entryLine(used).split('\n')[0]?.slice(0, 200) ?? null);
}

const wordsOf = (entries: readonly Entry[]): string | null =>
  entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : [])).at(-1) ?? null;

const LIMITS: Readonly<Record<string, SessionLimit>> = {
  error_max_turns: 'turns',
  error_max_budget_usd: 'budget',
};

function ofResult(line: Line): Observation {
  const { subtype = '', is_error = false, api_error_status, result = '' } = line;
  return {
    kind: 'result',
    usage: usageOf(line),
    limit: LIMITS[subtype] ?? null,
    isError: is_error === true,
    status: typeof api_error_status === 'number' ? api_error_status : null,
    text: typeof result === 'string' ? result : '',
  };
}

/** Of all models where the client counts them: at an abort `usage` lacks the last answer, and it never has those of helpers. */
function usageOf({ usage = {}, modelUsage = {}, num_turns, total_cost_usd }: Line): Usage {
  const models = Object.values(modelUsage).map(objectOf);
  const sum = (records: readonly Json[], names: readonly string[]): number =>
    records.flatMap((record) => names.map((name) => numberOf(record[name]))).reduce((a, b) => a + b, 0);
  const tokens =
    models.length > 0
      ? { input_tokens: sum(models, MODEL_INPUT), output_tokens: sum(models, ['outputTokens']) }
      : { input_tokens: sum([usage], INPUT), output_tokens: sum([usage], ['output_tokens']) };
  return {
    ...NO_USAGE,
    ...tokens,
    model: Object.keys(modelUsage)[0] ?? null,
    turns: numberOf(num_turns),
    cost_usd: numberOf(total_cost_usd),
  };
}

const INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
const MODEL_INPUT = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'];
