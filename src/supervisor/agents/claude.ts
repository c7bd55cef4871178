// The adapter of Claude Code.

import { join } from 'node:path';
import { WRITE_TOOLS } from '../../domain/transcript/parse.ts';
import type { BashRules } from '../../host/sandbox/bash-rules.ts';
import { type Agent, type Launch, type Launchable, type McpEntry, mcpConfig } from './agent.ts';
import { READING_TOOLS } from './launch-spec.ts';
import { observeLine } from './observe-stream.ts';
import { SERVER_TIMEOUT_MS } from './server-starts.ts';

/** Every further tool costs tokens in each session. Bash can search, and the prompt names the resources. */
const LEAN = ['Read', 'Edit', 'Write', 'Bash', 'ReadMcpResourceTool'];

/** It is asked for a missing verb by a hook of its own. */
export const claude: Agent = {
  executable: 'claude',
  needsServer: true,
  keepsLimits: true,
  tellsCost: true,
  launch,
  observe: observeLine,
};

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
      ...(spec.model === null ? [] : ['--model', spec.model]),
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
    env: {
      // Without this the MCP servers would inherit the whole environment, including the API key.
      CLAUDE_CODE_MCP_ALLOWLIST_ENV: '1',
      // By default it prompts the model without Ralph's tools after 5 s, in which a busy machine may not have started the relay.
      MCP_CONNECT_TIMEOUT_MS: String(SERVER_TIMEOUT_MS),
    },
    stdin: '',
    files: {
      'mcp.json': mcpConfig(spec),
      'settings.json': JSON.stringify(settings(spec)),
      'system.md': spec.system,
    },
  };
}

type Talk = {
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
function settings({ access, bash = null, isCommitter = false }: Launchable): object {
  const hook = (name: string) => ({
    type: 'command',
    command: [...access.hook, name].map(quoted).join(' '),
  });
  return {
    hooks: {
      Stop: [{ hooks: [hook('stop')] }],
      PreToolUse: [{ matcher: ['Bash', ...WRITE_TOOLS].join('|'), hooks: [hook('guard')] }],
    },
    // Several kilobytes in each request on how to commit and open pull requests, which Ralph does.
    includeGitInstructions: isCommitter,
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
