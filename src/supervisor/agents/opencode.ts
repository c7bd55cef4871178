// The adapter of OpenCode. It tells tokens and cost step by step, and Ralph ends it at its limits.
import { join } from 'node:path';
import { KNOWN_AGENTS } from '../../domain/sessions/agent-names.ts';
import {
  type Agent,
  type AgentSettings,
  type Launch,
  type Launchable,
  launchWithNames,
  type Observation,
} from './agent.ts';
import { observeLine } from './observe-stream.ts';

const OWN = 'opencode';

export const opencode = (settings: AgentSettings): Agent => ({
  executable: 'opencode',
  needsServer: true,
  tellsCost: true,
  variables: ['OPENCODE_*', ...KNOWN_AGENTS.opencode.keys],
  ...launchWithNames((verb) => `ralph_${verb}`, launch(settings)),
  observe: observeLine,
  observeError,
});

const launch =
  (settings: AgentSettings) =>
  (spec: Launchable, prompt: string, resumed: string | null): Launch => {
    const folder = (name: string): string => join(spec.access.folder, OWN, name);
    return {
      command: [
        'opencode',
        'run',
        '--format',
        'json',
        // Without plugins, which are programs.
        '--pure',
        // While it retries, it tells of it nowhere but in its log.
        '--print-logs',
        '--log-level',
        'ERROR',
        ...(spec.permissions === 'bypassPermissions' ? ['--auto'] : []),
        ...(spec.model === null ? [] : ['--model', spec.model]),
        ...(spec.effort === null ? [] : ['--variant', spec.effort]),
        ...(resumed === null ? [] : ['--session', resumed]),
      ],
      // Its own folders, so that nothing of the person's settings counts. The cache stays: it holds the list of all models.
      env: {
        XDG_CONFIG_HOME: folder('config'),
        XDG_DATA_HOME: folder('data'),
        XDG_STATE_HOME: folder('state'),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        // Otherwise files of the project would count that no person has trusted.
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      },
      stdin: prompt,
      files: { [join(OWN, 'config/opencode/opencode.json')]: JSON.stringify(config(spec, settings)) },
      ownFolder: OWN,
      logins: { 'data/opencode/auth.json': KNOWN_AGENTS.opencode.logins },
    };
  };

function config(spec: Launchable, settings: AgentSettings): object {
  const servers = Object.entries({ ...spec.mcpServers, ralph: spec.access.server }).map(
    ([name, { command, args, env }]) => [
      name,
      // The gates of a verb may take long.
      { type: 'local', command: [command, ...args], environment: env, enabled: true, timeout: 3_600_000 },
    ],
  );
  return {
    ...settings,
    share: 'disabled',
    autoupdate: false,
    // Ralph holds the work by itself.
    snapshot: false,
    // A title would cost a request.
    agent: { title: { disable: true } },
    ...(spec.permissions === 'bypassPermissions' && { permission: 'allow' }),
    mcp: Object.fromEntries(servers),
  };
}

/** It retries a request that failed for as long as the API fails, and its log has no status. */
function observeError(line: string): Observation[] {
  const [, detail = ''] = /\bmessage="stream error".*\berror\.error="(?:AI_\w+: )?(.*)"/.exec(line) ?? [];
  if (detail === '') return [];
  return [{ kind: 'retry', fault: 'server_error', detail: detail.slice(0, 200), isSilent: true }];
}
