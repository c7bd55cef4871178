import type { Config, GateConfig } from './config.ts';
import { scriptsBehind } from './sessions/gate.ts';
import type { Discipline } from './tasks/discipline.ts';

/** A part of Claude Code's own settings that came with the project: its hooks, say. */
export type ClaudeSetting = { file: string; key: string; value: string };

/** Everything that a project's files can make Ralph execute, or be judged by, one line each. This is what a person says yes to. */
export function executableLines(
  config: Pick<Config, 'gates' | 'agents' | 'review' | 'knowledge' | 'env' | 'secrets_allowed'>,
  disciplines: readonly Pick<Discipline, 'name' | 'mcp_servers'>[],
  settings: readonly ClaudeSetting[],
): string[] {
  return [
    ...config.gates.map(gateLine),
    ...(config.review.when === 'never' ? [] : [`review: ${config.review.when}`]),
    ...Object.entries(config.agents).map(([name, { command }]) => `agent ${name}${commandLine(command)}`),
    ...disciplines.flatMap((discipline) =>
      discipline.mcp_servers.map(({ name, command, args, env }) => {
        const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
        return `mcp server ${name} of ${discipline.name}${commandLine([...variables, command, ...args])}`;
      }),
    ),
    ...config.env.map((name) => `agents and gates get the variable ${name}`),
    ...config.secrets_allowed.map((pattern) => `secrets in ${pattern} may be committed`),
    ...settings.map(({ file, key, value }) => `${key} of ${file}: ${value}`),
    ...(isLocalOllama(config.knowledge.ollama_url)
      ? []
      : [`learnings and tasks are sent for embeddings to ${config.knowledge.ollama_url}`]),
  ];
}

/** The place where Ollama is found unless somebody moved it: what is sent there stays on this machine, and nothing else listens there. */
export const isLocalOllama = (url: string): boolean =>
  /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):11434\/?$/i.test(url);

/** The scripts of package.json that the gates run: whoever changes one changes what a gate proves. */
export function scriptLines(
  gates: readonly Pick<GateConfig, 'command'>[],
  packages: readonly Package[],
): string[] {
  return packages.flatMap(({ file, scripts, isWorkspace = false }) => {
    const commands = [
      ...gates.map(({ command }) => command),
      ...(isWorkspace ? scriptsOfRoot(gates, packages) : []),
    ];
    const behind = commands.flatMap((command) => [...scriptsBehind(command, scripts)]);
    return [...new Map(behind)].map(([name, script]) => `script ${name} of ${file}: ${script}`);
  });
}

/** `turbo run lint` behind `npm run ci` runs what each package calls lint. */
function scriptsOfRoot(
  gates: readonly Pick<GateConfig, 'command'>[],
  packages: readonly Package[],
): string[] {
  const root = packages.find(({ file }) => file === 'package.json');
  return gates.flatMap(({ command }) => [...scriptsBehind(command, root?.scripts ?? {}).values()]);
}

/** A package.json that a gate may run scripts of. */
export type Package = { file: string; scripts: Readonly<Record<string, string>>; isWorkspace?: boolean };

type GateLineInput = Pick<GateConfig, 'name' | 'command'> & Partial<GateConfig>;

export function gateLine({ name, command, required = true, expect = null }: GateLineInput): string {
  const expected = expect === null ? '' : `, expecting ${JSON.stringify(expect)}`;
  return `gate ${name}${required ? '' : ' (not required)'}${commandLine(command)}${expected}`;
}

/** A shell line as it is; an argument list as such, because trusting the one is not trusting the other. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string' ? `: ${command}` : ` (arguments): ${JSON.stringify(command)}`;
