// How each MCP client is told to start Ralph: where its file is, and what stands in it.

export type Start = { command: string; args: readonly string[]; env: Readonly<Record<string, string>> };

export const CLIENTS = [
  'claude-code',
  'claude-desktop',
  'vscode',
  'cursor',
  'codex',
  'gemini',
  'opencode',
  'zed',
] as const;
export type ClientName = (typeof CLIENTS)[number];

/** `file`: relative to the project, or below the home folder. */
type ClientConfig = { file: string; text: string };

export function clientConfig(client: ClientName, start: Start): ClientConfig {
  const { command, args, env } = start;
  const entry = { command, args, ...(Object.keys(env).length > 0 && { env }) };
  switch (client) {
    case 'claude-code':
      // Without alwaysLoad its first turn has no tools.
      return json('.mcp.json', { mcpServers: { ralph: { ...entry, alwaysLoad: true } } });
    case 'claude-desktop':
      return json('claude_desktop_config.json (Settings, Developer, Edit Config)', {
        mcpServers: { ralph: entry },
      });
    case 'vscode':
      return json('.vscode/mcp.json', { servers: { ralph: { type: 'stdio', ...entry } } });
    case 'cursor':
      return json('.cursor/mcp.json', { mcpServers: { ralph: entry } });
    case 'codex':
      return { file: '~/.codex/config.toml', text: codexText(start) };
    case 'gemini':
      return json('.gemini/settings.json', { mcpServers: { ralph: entry } });
    case 'opencode':
      return json('opencode.json', {
        $schema: 'https://opencode.ai/config.json',
        mcp: { ralph: { type: 'local', command: [command, ...args], environment: env, enabled: true } },
      });
    case 'zed':
      return json('~/.config/zed/settings.json', { context_servers: { ralph: { command, args, env } } });
  }
}

const json = (file: string, config: object): ClientConfig => ({
  file,
  text: JSON.stringify(config, null, 2),
});

/** Strings of JSON are strings of TOML. Without `required` its first request has no tools. */
function codexText({ command, args, env }: Start): string {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    '[mcp_servers.ralph]',
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    'required = true',
    ...(variables.length === 0 ? [] : ['', '[mcp_servers.ralph.env]', ...variables]),
  ].join('\n');
}
