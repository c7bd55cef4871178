// What Gemini CLI has in common with Qwen Code, which began as a copy of it.
import type { AgentSettings, Launchable } from './agent.ts';

type Servers = Readonly<Record<string, object>>;

/** `editing`: its name of the mode that asks before commands only. `more`: what only this client is told. */
export const geminiCommand = (
  program: string,
  { permissions, model }: Launchable,
  { editing, servers, more }: { editing: string; servers: Servers; more: readonly string[] },
): string[] => [
  program,
  '--output-format',
  'stream-json',
  '--approval-mode',
  { bypassPermissions: 'yolo', acceptEdits: editing, plan: 'plan' }[permissions as string] ?? 'default',
  // Otherwise servers in files of the project would count that no person has trusted.
  '--allowed-mcp-server-names',
  ...Object.keys(servers),
  ...(model === null ? [] : ['--model', model]),
  ...more,
];

/** Ralph's own server comes last: no other server may take its name. `more`: what the client is told of one besides. */
export const geminiServers = (spec: Launchable, more: (name: string) => object = () => ({})): Servers =>
  Object.fromEntries(
    Object.entries({ ...spec.mcpServers, ralph: spec.access.server }).map(
      // The gates of a verb may take long.
      ([name, { command, args, env }]) => [
        name,
        { command, args, env, trust: true, timeout: 3_600_000, ...more(name) },
      ],
    ),
  );

// Gemini CLI, and Qwen Code that comes from it, put the content of a file or a whole folder into a prompt that names it after an `@`.

/** Tasks name packages and people like that, and mean no file. */
export const withoutMentions = (prompt: string): string =>
  prompt.includes('@')
    ? `In this text, \`\\@\` stands for an at sign.\n${prompt.replaceAll('@', '\\@')}`
    : prompt;

// Settings of an agent in its own format, from several sources.

/** What stands later wins, but objects are merged. */
export function mergeSettings(...sources: readonly AgentSettings[]): AgentSettings {
  const merged = new Map<string, unknown>();
  for (const [key, value] of sources.flatMap((source) => Object.entries(source))) {
    const earlier = merged.get(key);
    merged.set(key, isObject(earlier) && isObject(value) ? mergeSettings(earlier, value) : value);
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is AgentSettings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
