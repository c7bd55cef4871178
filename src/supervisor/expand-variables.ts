import type { McpServer } from '../domain/tasks/discipline.ts';
import type { Environment } from '../host/processes/spawn.ts';
import type { McpEntry } from './agent.ts';

/** `${VAR}` and `${VAR:-default}` are taken from the environment: what is secret stands in no file of the project. */
export const expand = (text: string, env: Environment): string =>
  text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise: string = '') => env[name] ?? otherwise,
  );

export function mcpEntry({ command, args, env }: McpServer, from: Environment): McpEntry {
  return {
    command: expand(command, from),
    args: args.map((arg) => expand(arg, from)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expand(value, from)])),
  };
}
