// The adapter of GitHub Copilot's command line. It tells neither tokens nor cost, and has no limit of turns: Ralph counts messages.
import { join } from 'node:path';
import { KNOWN_AGENTS } from '../../domain/sessions/agent-names.ts';
import { type Agent, type AgentSettings, type Launch, type Launchable, launchWithNames } from './agent.ts';
import { observeLine } from './observe-stream.ts';

const OWN = 'copilot';

export const copilot = (settings: AgentSettings): Agent => ({
  executable: 'copilot',
  needsServer: true,
  // Not GH_TOKEN, which may do more than ask a model.
  variables: ['COPILOT_*'],
  ...launchWithNames((verb) => `ralph-${verb}`, launch(settings)),
  observe: observeLine,
});

/** Neither its shell nor any MCP server gets them. */
const SECRETS = ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN'];

/** It knows its provider only by variables. So a setting with the name of one is a variable, and no setting of its file. */
const isVariable = (name: string): boolean => name.startsWith('COPILOT_');

const launch =
  (settings: AgentSettings) =>
  (spec: Launchable, prompt: string, resumed: string | null): Launch => {
    const entries = Object.entries(settings);
    return {
      command: [
        'copilot',
        '--output-format',
        'json',
        '--no-ask-user',
        '--no-auto-update',
        '--no-remote',
        '--no-remote-export',
        // Its own servers could change what is on GitHub.
        '--disable-builtin-mcps',
        '--log-level',
        'none',
        `--secret-env-vars=${SECRETS.join(',')}`,
        '--additional-mcp-config',
        `@${join(spec.access.folder, OWN, 'mcp.json')}`,
        ...(spec.permissions === 'bypassPermissions' ? ['--allow-all'] : ['--allow-tool=ralph']),
        ...(spec.model === null ? [] : ['--model', spec.model]),
        ...(spec.effort === null ? [] : ['--reasoning-effort', spec.effort]),
        ...(resumed === null ? [] : [`--resume=${resumed}`]),
      ],
      env: {
        ...Object.fromEntries(
          entries.filter(([name]) => isVariable(name)).map(([name, value]) => [name, String(value)]),
        ),
        // Its own folder, so that nothing of the person's settings counts.
        COPILOT_HOME: join(spec.access.folder, OWN),
        // `true` would also load hooks and servers of the project that no person has trusted.
        COPILOT_ALLOW_ALL: 'false',
      },
      stdin: prompt,
      files: {
        [join(OWN, 'mcp.json')]: mcpServers(spec),
        [join(OWN, 'settings.json')]: JSON.stringify({
          ...Object.fromEntries(entries.filter(([name]) => !isVariable(name))),
          disableAllHooks: true,
          memory: false,
        }),
      },
      ownFolder: OWN,
      logins: { 'config.json': KNOWN_AGENTS.copilot.logins },
    };
  };

/** Ralph's own server comes last: no other server may take its name. The gates of a verb may take long. */
const mcpServers = ({ mcpServers, access }: Launchable): string =>
  JSON.stringify({
    mcpServers: Object.fromEntries(
      Object.entries({ ...mcpServers, ralph: access.server }).map(([name, { command, args, env }]) => [
        name,
        { type: 'local', command, args, env, tools: ['*'], timeout: 3_600_000 },
      ]),
    ),
  });
