// The adapter of Codex. It tells tokens but no cost, and has no limit of turns: Ralph counts its items instead.
import { join } from 'node:path';
import { KNOWN_AGENTS } from '../../domain/sessions/agent-names.ts';
import type { Agent, AgentSettings, Launch, Launchable } from './agent.ts';
import { observeLine } from './observe-stream.ts';
import { type TomlValue, toToml } from './toml.ts';
import { verbNames } from './verb-names.ts';

const OWN = 'codex';

export const codex = (settings: AgentSettings): Agent => ({
  executable: 'codex',
  needsServer: true,
  variables: ['OPENAI_*', 'CODEX_*'],
  launch: (spec) => launch(spec, settings, `${NAMES}\n\n${spec.system}\n${spec.prompt}`),
  resume: (spec, id, prompt) => launch(spec, settings, `${NAMES} ${prompt}`, id),
  observe: observeLine,
});

const NAMES = verbNames((verb) => `mcp__ralph__${verb}`);

function launch(
  spec: Launchable,
  settings: AgentSettings,
  prompt: string,
  resumed: string | null = null,
): Launch {
  return {
    command: [
      'codex',
      'exec',
      ...(resumed === null ? [] : ['resume']),
      '--json',
      // Ralph decides where sessions work.
      '--skip-git-repo-check',
      // Rules of the project could let commands through that nobody has trusted.
      '--ignore-rules',
      ...(spec.model === null ? [] : ['--model', spec.model]),
      ...(spec.permissions === 'bypassPermissions' ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      ...(resumed === null ? [] : [resumed]),
      '-',
    ],
    // Its own folder, so that nothing of the person's settings counts.
    env: { CODEX_HOME: join(spec.access.folder, OWN) },
    keys: { CODEX_API_KEY: 'OPENAI_API_KEY' },
    stdin: prompt,
    files: { [join(OWN, 'config.toml')]: toToml(config(spec, settings)) },
    ownFolder: OWN,
    logins: { 'auth.json': KNOWN_AGENTS.codex.logins },
  };
}

/** Ralph's own server comes last: no other server may take its name. */
function config(spec: Launchable, settings: AgentSettings): Record<string, TomlValue> {
  const servers = Object.entries({ ...spec.mcpServers, ralph: spec.access.server }).map(
    ([name, { command, args, env }]): [string, TomlValue] => [
      name,
      // Without `required` the first request does not wait for the server. The gates of a verb may take long.
      { command, args, env, required: name === 'ralph', tool_timeout_sec: 3_600 },
    ],
  );
  return {
    ...(settings as Record<string, TomlValue>),
    sandbox_mode: 'workspace-write',
    ...(spec.effort !== null && { model_reasoning_effort: spec.effort === 'max' ? 'xhigh' : spec.effort }),
    mcp_servers: Object.fromEntries(servers),
  };
}
