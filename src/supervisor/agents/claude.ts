// The adapter of Claude Code: how to launch it, and what its stream tells the supervisor.

import { join } from 'node:path';
import { recogniseFault } from '../../domain/sessions/agent-failure.ts';
import { NO_USAGE, type SessionLimit, type Usage } from '../../domain/sessions/session.ts';
import { entryLine } from '../../domain/transcript/entry.ts';
import { asText } from '../../domain/transcript/json.ts';
import {
  type AssistantBlock,
  type AssistantEvent,
  parseStreamLine,
  type ResultEvent,
  type StreamLine,
  type ToolUse,
  toolPath,
  WRITE_TOOLS,
} from '../../domain/transcript/parse.ts';
import { toStep } from '../../domain/transcript/repeats.ts';
import { type Entry, readParts } from '../../domain/transcript/transcript.ts';
import type { BashRules } from '../../host/sandbox/bash-rules.ts';
import {
  type Agent,
  type Launch,
  type Launchable,
  type McpEntry,
  mcpConfig,
  type Observation,
} from './agent.ts';
import { READING_TOOLS } from './launch-spec.ts';

/** Every further tool costs tokens in each session. Bash can search, and the prompt names the resources. */
const LEAN = ['Read', 'Edit', 'Write', 'Bash', 'ReadMcpResourceTool'];

export const claude: Agent = { executable: 'claude', needsServer: true, launch, observe };

function launch(spec: Launchable): Launch {
  const file = (name: string): string => join(spec.access.folder, name);
  return {
    command: [
      'claude',
      '-p',
      `/mcp__ralph__${spec.recipe} ${spec.argument}`.trim(),
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
      (spec.tools.length === 0 ? LEAN : spec.tools).join(','),
      '--append-system-prompt-file',
      file('system.md'),
      '--model',
      spec.model,
      ...(spec.effort === null ? [] : ['--effort', spec.effort]),
      '--max-turns',
      String(spec.max_turns),
      '--max-budget-usd',
      String(spec.budget_usd),
      '--permission-mode',
      spec.permissions,
      '--session-id',
      spec.client_id,
      // A session must not drive the person's browser.
      '--no-chrome',
    ],
    // Without this the MCP servers would inherit the whole environment, including the API key.
    env: { CLAUDE_CODE_MCP_ALLOWLIST_ENV: '1' },
    stdin: '',
    files: {
      'mcp.json': mcpConfig(spec),
      'settings.json': JSON.stringify(settings(spec)),
      'system.md': spec.system,
    },
  };
}

export type Talk = {
  ralph: McpEntry;
  prompt_file: string;
  /** Ralph's server creates it once it has named its tools. */
  ready_file: string;
  model: string | null;
  topic: string;
};

/**
 * On a terminal Claude Code does not wait for its servers, so the first prompt would reach a model without Ralph's tools.
 * This hook delays the first prompt until the server is ready, plus a second for Claude Code to load tools, prompts and
 * resources. Then it writes into the file, so later prompts pass at once.
 */
const waitUntilReady = (ready_file: string): object => {
  const file = quoted(ready_file);
  const command = `i=0; while [ ! -e ${file} ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done; [ -s ${file} ] || { sleep 1; echo > ${file}; }`;
  return { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } };
};

/** The person's own settings apply, but no tool may write, and Ralph's is the only server. */
export const onTerminal = ({ ralph, prompt_file, ready_file, model, topic }: Talk): string[] => [
  'claude',
  // First, because later options take any number of words. A leading space keeps it from being read as an option.
  ...(topic === '' ? [] : [topic.startsWith('-') ? ` ${topic}` : topic]),
  '--mcp-config',
  JSON.stringify({ mcpServers: { ralph } }),
  '--strict-mcp-config',
  '--tools',
  READING_TOOLS.join(','),
  '--allowedTools',
  'mcp__ralph',
  '--settings',
  JSON.stringify(waitUntilReady(ready_file)),
  '--append-system-prompt-file',
  prompt_file,
  ...(model === null ? [] : ['--model', model]),
];

/** The Stop hook asks for a missing closing verb. The guard and the deny rules protect Ralph's own files. */
function settings({ access, bash = null }: Launchable): object {
  const hook = (name: string) => ({
    type: 'command',
    command: [...access.hook, name].map(quoted).join(' '),
  });
  return {
    hooks: {
      Stop: [{ hooks: [hook('stop')] }],
      PreToolUse: [{ matcher: ['Bash', ...WRITE_TOOLS].join('|'), hooks: [hook('guard')] }],
    },
    permissions: { deny: ['Write(.ralph/**)', 'Edit(.ralph/**)', 'Bash(rm -rf .ralph*)'] },
    ...(bash !== null && { sandbox: sandboxSettings(bash, access.folder) }),
  };
}

/** For commands of the Bash tool alone. A client that cannot enclose them must not start. */
const sandboxSettings = ({ allowedDomains, denyRead }: BashRules, own: string): object => ({
  enabled: true,
  failIfUnavailable: true,
  allowUnsandboxedCommands: false,
  autoAllowBashIfSandboxed: true,
  // Older clients do not know it, and let every host through where no person can be asked.
  network: { allowedDomains, strictAllowlist: true },
  // The token of the session is for its client, not for the commands of the agent.
  filesystem: { denyRead: [...denyRead, own] },
});

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function observe(text: string): Observation[] {
  const line = parseStreamLine(text);
  const { event } = line;
  switch (event.kind) {
    case 'init': {
      const server = event.servers.find(({ name }) => name === 'ralph');
      return server?.status === 'connected'
        ? [{ kind: 'connected', isPlan: event.api_key_source === 'none' }]
        : [{ kind: 'fault', fault: 'mcp_lost' }];
    }
    case 'retry': {
      const fault = recogniseFault(event);
      return fault === null ? [] : [{ kind: 'retry', fault }];
    }
    case 'rate_limit':
      // Claude Code sends this only with a plan; with an API key only the result tells of a limit.
      return event.status === 'rejected' && event.resets_at !== null
        ? [{ kind: 'limited', until: event.resets_at * 1_000 }]
        : [];
    case 'assistant':
      return event.error === null
        ? [observeTurn(line, event), ...event.blocks.flatMap(observeStep)]
        : observeError(event, event.error);
    case 'user':
      return event.blocks.flatMap((block) =>
        block.kind === 'tool_result'
          ? [{ kind: 'step_ended' as const, id: block.tool_use_id, hasFailed: block.is_error }]
          : [],
      );
    case 'result':
      return [observeResult(event)];
    default:
      return [];
  }
}

function observeTurn(line: StreamLine, { message_id, blocks }: AssistantEvent): Observation {
  const entries = readParts(line).map(({ entry }) => entry);
  const uses = blocks.filter((block) => block.kind === 'tool_use');
  return {
    kind: 'turn',
    action: lastAction(entries),
    words: lastText(entries),
    answer: message_id,
    files: writtenFiles(uses),
  };
}

/** Reading again is no repetition: what is read may have changed. */
function observeStep(block: AssistantBlock): Observation[] {
  if (block.kind !== 'tool_use') return [];
  const { id, name, input } = block;
  const text =
    name === 'Bash' ? asText(input['command']) : WRITE_TOOLS.includes(name) ? toolPath(block) : null;
  return text === null ? [] : [{ kind: 'step_begun', id, step: toStep(name, text, JSON.stringify(input)) }];
}

/** The last tool use, in the words of every screen: the tool and its target. */
function lastAction(entries: readonly Entry[]): string | null {
  const use = entries.findLast(({ kind }) => kind === 'tool');
  return use === undefined ? null : (entryLine(use).split('\n')[0]?.slice(0, 200) ?? null);
}

const lastText = (entries: readonly Entry[]): string | null =>
  entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : [])).at(-1) ?? null;

/** The files that the agent's own tools write. Only the work tree can tell what a shell line writes. */
const writtenFiles = (uses: readonly ToolUse[]): string[] =>
  uses
    .filter(({ name }) => WRITE_TOOLS.includes(name))
    .map(toolPath)
    .filter((path) => path !== null);

/** The client wrote this message in place of an answer. An error of the agent's helper does not end the session. */
function observeError({ blocks, is_subagent }: AssistantEvent, error: string): Observation[] {
  if (is_subagent) return [];
  const text = blocks.find((block) => block.kind === 'text')?.text ?? '';
  const detail = (text.trim().split('\n')[0] ?? '').slice(0, 200);
  return [{ kind: 'failure', error, detail: detail === '' ? null : detail }];
}

const LIMITS: Readonly<Record<string, SessionLimit>> = {
  error_max_turns: 'turns',
  error_max_budget_usd: 'budget',
};

function observeResult(event: ResultEvent): Observation {
  return {
    kind: 'result',
    usage: totalUsage(event),
    limit: LIMITS[event.subtype] ?? null,
    isError: event.is_error,
    status: event.status,
    text: event.text,
  };
}

/** The sum over all models where the client reports it, because `usage` may miss answers. */
function totalUsage({ usage, models, turns, cost_usd }: ResultEvent): Usage {
  const counts = models.length > 0 ? models : [usage];
  return {
    ...NO_USAGE,
    input_tokens: counts.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    output_tokens: counts.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
    model: models[0]?.name ?? null,
    turns,
    cost_usd,
  };
}
