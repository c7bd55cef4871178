// The adapter of Codex. It tells tokens but no cost, and has no limit of turns: Ralph counts its items instead.
import { join } from 'node:path';
import { KNOWN_AGENTS } from '../../domain/sessions/agent-names.ts';
import { type Agent, type AgentSettings, type Launch, type Launchable, launchWithNames } from './agent.ts';
import { observeLine } from './observe-stream.ts';

const OWN = 'codex';

export const codex = (settings: AgentSettings): Agent => ({
  executable: 'codex',
  needsServer: true,
  variables: ['OPENAI_*', 'CODEX_*'],
  ...launchWithNames((verb) => `mcp__ralph__${verb}`, launch(settings)),
  observe: observeLine,
});

const launch =
  (settings: AgentSettings) =>
  (spec: Launchable, prompt: string, resumed: string | null): Launch => {
    return {
      command: [
        'codex',
        'exec',
        ...(resumed === null ? [] : ['resume']),
        '--json',
        // Ralph decides where sessions work.
        '--skip-git-repo-check',
        // Rules of the project could let commands through that no person has trusted.
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
  };

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

// Values as TOML, for the configuration of Codex. JSON strings are TOML strings, but for two kinds of characters.

type TomlValue =
  | string
  | number
  | boolean
  | null
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

type Table = Readonly<Record<string, TomlValue>>;

/** One line for each key. */
export const toToml = (settings: Table): string =>
  pairs(settings)
    .map((pair) => `${pair}\n`)
    .join('');

/** TOML has no null: such a key is as good as absent. */
const pairs = (table: Table): string[] =>
  Object.entries(table)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${quoted(key)} = ${valueText(value)}`);

function valueText(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value))
    return `[${value
      .filter((item) => item !== null)
      .map(valueText)
      .join(', ')}]`;
  return isTable(value) ? `{ ${pairs(value).join(', ')} }` : JSON.stringify(value);
}

const isTable = (value: TomlValue): value is Table => typeof value === 'object' && value !== null;

/** TOML allows neither a raw DEL nor half of a character. */
const quoted = (text: string): string =>
  JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
