import type { Config } from './config.ts';
import type { Discipline } from './discipline.ts';

/** Everything that a project's files can make Ralph execute, one line each. This is what a person says yes to. */
export function executableLines(
  config: Config,
  disciplines: readonly Pick<Discipline, 'name' | 'mcp_servers'>[],
): string[] {
  return [
    ...config.gates.map(({ name, command }) => gateLine(name, command)),
    ...Object.entries(config.agents).map(([name, { command }]) => `agent ${name}${commandLine(command)}`),
    ...disciplines.flatMap((discipline) =>
      discipline.mcp_servers.map(({ name, command, args, env }) => {
        const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
        return `mcp server ${name} of ${discipline.name}${commandLine([...variables, command, ...args])}`;
      }),
    ),
  ];
}

export const gateLine = (name: string, command: string | readonly string[]): string =>
  `gate ${name}${commandLine(command)}`;

/** A shell line as it is; an argument list as such, because trusting the one is not trusting the other. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string' ? `: ${command}` : ` (arguments): ${JSON.stringify(command)}`;
