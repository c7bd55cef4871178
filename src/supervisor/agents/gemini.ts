// The adapter of Gemini CLI. It tells tokens but no cost, and keeps to its limit of turns by itself.
import { join } from 'node:path';
import { type AgentFault, recogniseFault } from '../../domain/sessions/agent-failure.ts';
import { KNOWN_AGENTS } from '../../domain/sessions/agent-names.ts';
import {
  type Agent,
  type AgentSettings,
  type Launch,
  type Launchable,
  launchWithNames,
  type Observation,
} from './agent.ts';
import { geminiCommand, geminiServers, mergeSettings, withoutMentions } from './gemini-like.ts';
import { observeLine } from './observe-stream.ts';

const OWN = 'gemini';
/** Its settings name the way to log in, and may refer to a variable. */
const LOGIN = 'RALPH_GEMINI_LOGIN';

export const gemini = (settings: AgentSettings): Agent => ({
  executable: 'gemini',
  needsServer: true,
  keepsLimits: true,
  variables: ['GEMINI_*', 'CODE_ASSIST_ENDPOINT'],
  ...launchWithNames((verb) => `mcp_ralph_${verb}`, launch(settings)),
  observe: (line) => observeLine(line).flatMap(addTokens),
  observeError,
  explain,
});

const launch =
  (settings: AgentSettings) =>
  (spec: Launchable, prompt: string, resumed: string | null): Launch => {
    return {
      command: geminiCommand('gemini', spec, {
        editing: 'auto_edit',
        servers: geminiServers(spec),
        more: [
          ...(resumed === null ? [] : ['--resume', resumed]),
          // Not interactive. What stands here comes after standard input.
          '--prompt',
          ' ',
        ],
      }),
      env: {
        // Its own folder, so that nothing of the person's settings counts.
        GEMINI_CLI_HOME: join(spec.access.folder, OWN),
        // Otherwise it starts no MCP server. Ralph has asked the person before.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        // It would start itself a second time, with more memory.
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
      stdin: withoutMentions(prompt),
      files: { [join(OWN, '.gemini/settings.json')]: JSON.stringify(settingsFor(spec, settings)) },
      ownFolder: OWN,
      logins: { '.gemini/oauth_creds.json': KNOWN_AGENTS.gemini.logins },
      keysFirst: KNOWN_AGENTS.gemini.keys,
      loginVariables: { [LOGIN]: 'oauth-personal' },
    };
  };

/** `agent_settings` may say otherwise. */
const DEFAULTS: AgentSettings = {
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    topicUpdateNarration: false,
    // No person is there to approve a plan.
    plan: { enabled: false },
  },
  security: { auth: { selectedType: `\${${LOGIN}:-gemini-api-key}` } },
  privacy: { usageStatisticsEnabled: false },
  hooksConfig: { enabled: false },
  // Its folder is new in each session, so it would download the program each time.
  tools: { useRipgrep: false },
};

const settingsFor = (spec: Launchable, settings: AgentSettings): AgentSettings =>
  mergeSettings(DEFAULTS, settings, {
    model: { maxSessionTurns: spec.max_turns },
    mcpServers: geminiServers(spec),
  });

/** The tokens of its result are those of one process, and a resumed session has several. */
function addTokens(observation: Observation): Observation[] {
  if (observation.kind !== 'result') return [observation];
  const { model, input_tokens, output_tokens } = observation.usage;
  return [
    {
      kind: 'spent',
      usage: { input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0, cost_usd: 0 },
    },
    {
      ...observation,
      usage: {
        ...observation.usage,
        model: model === null ? null : `${OWN}/${model}`,
        input_tokens: null,
        output_tokens: null,
      },
    },
  ];
}

/** It retries for some minutes, and tells of that nowhere else. */
function observeError(line: string): Observation[] {
  const [, status, mark] = /^Attempt \d+ failed(?: with status (\d{3}))?([.:])/.exec(line) ?? [];
  if (mark === undefined) return [];
  const fault = recogniseFault({
    // With words of the API after a colon it is a limit whose end is known.
    error: mark === ':' ? 'rate_limit' : 'server_error',
    status: status === undefined ? null : Number(status),
    isPlan: false,
  });
  return fault === null ? [] : [{ kind: 'retry', fault }];
}

/** Without a key and without a login. */
const NO_LOGIN = 41;
/** As the exit code of a process, which has eight bits, an HTTP status from 400 on is this much smaller. */
const EXIT_CODES = { from: 400 - 256, smaller: 256 };

/** Its result has only a text for people. Its exit code is the status of the API, and standard error names the kind of error. */
function explain({ exit_code, errors }: { exit_code: number | null; errors: string }): AgentFault | null {
  if (exit_code === NO_LOGIN) return 'not_logged_in';
  if (/\bTerminalQuotaError: /.test(errors)) return 'usage_limit';
  if (/\bModelNotFoundError: /.test(errors)) return 'no_model';
  if (exit_code === null || exit_code < EXIT_CODES.from) return null;
  return recogniseFault({ error: null, status: exit_code + EXIT_CODES.smaller, isPlan: false });
}
