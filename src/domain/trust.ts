import type { Config, GateConfig } from './config.ts';
import { scriptsBehind } from './sessions/gate.ts';
import type { Discipline } from './tasks/discipline.ts';

/** A setting of Claude Code in a file of the project, such as its hooks. */
export type ClaudeSetting = { file: string; key: string; value: string };

/** One line for everything that the project's files can make Ralph execute or rely on. A person trusts these lines. */
export function executableLines(
  config: Pick<
    Config,
    | 'gates'
    | 'agents'
    | 'agent_settings'
    | 'review'
    | 'knowledge'
    | 'env'
    | 'secrets_allowed'
    | 'slots'
    | 'land'
    | 'sandbox'
    | 'github'
    | 'notify'
  >,
  disciplines: readonly Pick<Discipline, 'name' | 'mcp_servers'>[],
  settings: readonly ClaudeSetting[],
): string[] {
  return [
    ...config.gates.map(gateLine),
    ...(config.slots.setup === null ? [] : [setupLine(config.slots.setup)]),
    ...config.land.regenerate.map(
      ({ files, command }) => `regenerate ${files.join(', ')}${commandLine(command)}`,
    ),
    // A variable such as PATH decides what a gate runs.
    ...Object.entries(config.slots.env).map(
      ([name, value]) => `agents, gates and setup get ${name}=${value}`,
    ),
    ...(config.review.when === 'never' ? [] : [`review: ${config.review.when}`]),
    ...Object.entries(config.agents).map(([name, { command }]) => `agent ${name}${commandLine(command)}`),
    // A setting may name a program, or the address that gets the prompts.
    ...Object.entries(config.agent_settings).map(
      ([name, settings]) => `settings of ${name}: ${JSON.stringify(settings)}`,
    ),
    ...disciplines.flatMap((discipline) =>
      discipline.mcp_servers.map(({ name, command, args, env }) => {
        const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
        return `mcp server ${name} of ${discipline.name}${commandLine([...variables, command, ...args])}`;
      }),
    ),
    ...config.notify.flatMap(notifyLines),
    ...config.env.map((name) => `agents and gates get the variable ${name}`),
    ...sandboxLines(config.sandbox),
    ...config.secrets_allowed.map((pattern) => `secrets in ${pattern} may be committed`),
    ...settings.map(({ file, key, value }) => `${key} of ${file}: ${value}`),
    ...(isLocalOllama(config.knowledge.ollama_url)
      ? []
      : [`learnings and tasks are sent for embeddings to ${config.knowledge.ollama_url}`]),
    ...(isPublicGithub(config.github.api)
      ? []
      : [`issues are read from ${config.github.api}, with your token for that host`]),
    ...(config.land.target === 'pull_request'
      ? [
          `pull requests are opened at ${config.github.api}${config.github.repository === null ? '' : ` in ${config.github.repository}`}, with your token for that host`,
        ]
      : []),
    ...(config.github.sync
      ? [`issues that tasks came from get comments and are closed at ${config.github.api}, with your token`]
      : []),
  ];
}

/** A webhook learns titles and questions, so its address needs trust like a command. */
const notifyLines = ({ webhook, command }: Config['notify'][number]): string[] => [
  ...(webhook === null ? [] : [`titles and questions are sent to ${webhook}`]),
  ...(command === null ? [] : [`notification${commandLine(command)}`]),
];

/** Where work goes. The same line for every address of one repository, and without a password that an address may hold. */
export const remoteLine = ({ target = 'branch', branch, url }: RemoteLineInput): string =>
  `work is pushed to ${target === 'branch' ? '' : 'pull requests for '}${branch} of ${repositoryName(url)}`;

type RemoteLineInput = { target?: Config['land']['target']; branch: string; url: string };

/** The last line, if there is one: no other line of the project can stand there in its place. */
export const namesRemote = (lines: readonly string[]): boolean =>
  lines.at(-1)?.startsWith('work is pushed to ') ?? false;

const repositoryName = (url: string): string =>
  url
    .replace(/^(?:ssh|https?|git):\/\/(?:[^/@]*@)?/, '')
    .replace(/^[^/@:]+@([^/:]+):/, '$1/')
    .replace(/\/*(?:\.git)?\/*$/, '');

/** What the project's files ask of the sandbox: each of it is a way out. */
const sandboxLines = ({ level, network, read, write, command }: Config['sandbox']): string[] => [
  ...(level === null ? [] : [`sandbox: ${level}${command.length === 0 ? '' : commandLine(command)}`]),
  ...network.map((host) => `agents and gates may reach ${host}`),
  ...read.map((path) => `agents and gates may read ${path}`),
  ...write.map((path) => `agents and gates may write ${path}`),
];

/** Ollama's default address. Text sent there stays on this machine, so it needs no trust. */
export const isLocalOllama = (url: string): boolean =>
  /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):11434\/?$/i.test(url);

export const PUBLIC_GITHUB = 'https://api.github.com';

/** It gets only the token that is for it, so it needs no trust. */
export const isPublicGithub = (api: string): boolean => api.replace(/\/+$/, '') === PUBLIC_GITHUB;

/** The package.json scripts that the gates run. A changed script changes what a gate proves. */
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

/** If `npm run ci` calls `turbo run lint`, the lint script of each package runs as well. */
function scriptsOfRoot(
  gates: readonly Pick<GateConfig, 'command'>[],
  packages: readonly Package[],
): string[] {
  const root = packages.find(({ file }) => file === 'package.json');
  return gates.flatMap(({ command }) => [...scriptsBehind(command, root?.scripts ?? {}).values()]);
}

/** A package.json whose scripts a gate may run. */
export type Package = { file: string; scripts: Readonly<Record<string, string>>; isWorkspace?: boolean };

type GateLineInput = Pick<GateConfig, 'name' | 'command'> & Partial<GateConfig>;

export function gateLine({ name, command, required = true, expect = null }: GateLineInput): string {
  const expected = expect === null ? '' : `, expecting ${JSON.stringify(expect)}`;
  return `gate ${name}${required ? '' : ' (not required)'}${commandLine(command)}${expected}`;
}

export const setupLine = (command: string): string => `setup of a slot${commandLine(command)}`;

/** The commands besides gates that the configuration makes Ralph run; their package.json scripts need trust, too. */
export const slotCommands = ({ slots, land }: Pick<Config, 'slots' | 'land'>): { command: string }[] => [
  ...(slots.setup === null ? [] : [{ command: slots.setup }]),
  ...land.regenerate,
];

/** Marks an argument list as such: trusting it does not mean trusting the same words as a shell line. */
export const commandLine = (command: string | readonly string[]): string =>
  typeof command === 'string' ? `: ${command}` : ` (arguments): ${JSON.stringify(command)}`;

/** `when`: as the person reads it. */
export function trustNoticeText(
  { added, gone }: { added: readonly string[]; gone: readonly string[] },
  when: string,
): string {
  const changes = [
    ...(added.length > 0 ? [`now "${added.join('", "')}"`] : []),
    ...(gone.length > 0 ? [`before "${gone.join('", "')}"`] : []),
  ];
  return `trust was given while an earlier run was at work, at ${when}, and counts from now on${changes.length === 0 ? '' : `: ${changes.join('; ')}`}`;
}
