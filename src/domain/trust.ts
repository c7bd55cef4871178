import type { Config } from './config.ts';
import type { Discipline } from './discipline.ts';

/** Everything that a project's files can make Ralph execute, one line each. This is what a person says yes to. */
export function executableLines(
  config: Config,
  disciplines: readonly Pick<Discipline, 'name' | 'mcp_servers'>[],
): string[] {
  return [
    ...config.gates.map(({ name, command }) => `gate ${name}: ${commandLine(command)}`),
    ...Object.entries(config.agents).map(([name, { command }]) => `agent ${name}: ${commandLine(command)}`),
    ...disciplines.flatMap((discipline) =>
      discipline.mcp_servers.map(({ name, command, args, env }) => {
        const variables = Object.entries(env).map(([key, value]) => `${key}=${value} `);
        return `mcp server ${name} (${discipline.name}): ${variables.join('')}${commandLine([command, ...args])}`;
      }),
    ),
  ];
}

/** A shell line as it is; an argument list as a list, because trusting the one is not trusting the other. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : JSON.stringify(command);
