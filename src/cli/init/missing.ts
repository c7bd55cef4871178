// Finds what would stop a first run, without running anything of the project.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type MissingProgram, missingProgram } from '../../app/missing-program.ts';
import type { CommandContext, World } from '../../app/world.ts';
import type { Config, GateConfig } from '../../domain/config.ts';
import { findHooks, type Hooks } from '../../host/gates/hooks.ts';
import { GitFailed } from '../../host/git/git.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import type { Repository } from '../../project/init/repository.ts';
import { packageManager } from '../../project/init/suggest-node-gates.ts';
import { CONFIG_FILE } from '../../project/read-config.ts';

export type Missing = { what: string; fix: string };

type Where = { root: string; repository: Repository; env: World['env'] };

export const findMissing = async (
  where: Where,
  agent: string,
  gates: readonly Pick<GateConfig, 'command'>[],
): Promise<Missing[]> => [
  ...(agent === 'claude' ? missingClient(where.env) : []),
  ...(await missingTools(where, gates)),
  ...missingDependencies(where.repository),
];

function missingClient(env: World['env']): Missing[] {
  if (findExecutable('claude', env['PATH']) === null)
    return [{ what: 'Claude Code is not installed', fix: 'npm install -g @anthropic-ai/claude-code' }];
  return seemsLoggedIn(env)
    ? []
    : [
        {
          what: 'Claude Code is not logged in',
          fix: 'start claude and type /login, or set ANTHROPIC_API_KEY',
        },
      ];
}

const LOGINS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

/** Checks only that a login exists. On macOS it is in the keychain, which would ask the person. */
function seemsLoggedIn(env: World['env']): boolean {
  if (process.platform === 'darwin' || LOGINS.some((name) => env[name])) return true;
  const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
  return ['.credentials.json', 'settings.json'].some((name) => existsSync(join(folder, name)));
}

/** How to install a tool, where its name does not tell. */
const INSTALLS: Readonly<Record<string, string>> = {
  pnpm: 'npm install -g pnpm',
  yarn: 'npm install -g yarn',
  bun: 'npm install -g bun',
  uv: 'pip install uv',
  poetry: 'pip install poetry',
  pdm: 'pip install pdm',
  ruff: 'pip install ruff',
};

async function missingTools(
  { root, env }: Where,
  gates: readonly Pick<GateConfig, 'command'>[],
): Promise<Missing[]> {
  const programs = await Promise.all(gates.map(({ command }) => missingProgram(command, root, env)));
  const missing = programs.flatMap((program) => (program === null ? [] : [explain(program)]));
  return [...new Map(missing.map((one) => [one.what, one])).values()];
}

const explain = ({ name, python }: MissingProgram): Missing =>
  python === null
    ? { what: `${name} is not installed`, fix: INSTALLS[name] ?? `install ${name}` }
    : { what: `${python} has no module ${name}`, fix: `${python} -m pip install ${name}` };

function missingDependencies(repository: Repository): Missing[] {
  const { has, packageJson } = repository;
  if (packageJson.dependencies.size === 0 || has('node_modules', '.pnp.cjs')) return [];
  const [tool] = packageManager(repository).split(' ');
  return [
    {
      what: 'The dependencies are not installed',
      fix: has('package-lock.json') ? 'npm ci' : `${tool} install`,
    },
  ];
}

// What Ralph says and asks about the hooks of a repository.

/** Null if the repository has no hooks and no tool for them. */
export async function repositoryHooks(
  context: Pick<CommandContext, 'env'>,
  root: string,
): Promise<Hooks | null> {
  const hooks = await findHooks({ root, env: context.env }).catch((error: unknown) => {
    // Another check reports a missing git.
    if (error instanceof GitFailed) return null;
    throw error;
  });
  return hooks === null || (hooks.found.length === 0 && hooks.tools.length === 0) ? null : hooks;
}

const RUN_THEM = `commit: { policy: task, hooks: run } in ${CONFIG_FILE}`;

export function hooksText(
  hooks: Hooks,
  { commit, commit_hooks }: Pick<Config, 'commit' | 'commit_hooks'>,
): string {
  const name = hooksName(hooks);
  if (hooks.found.length === 0) return `${name}: neither git nor Ralph runs any of it`;
  if (commit === 'agent' || commit === 'never') return `${name}: Ralph makes no commit that they could check`;
  if (commit_hooks === 'run') return `${name}: they check each commit that Ralph makes`;
  return `${name}: Ralph commits without them; to let them check: ${RUN_THEM}`;
}

function hooksName({ found, folder, tools, files }: Hooks): string {
  const managers = tools.length === 0 ? '' : ` (${tools.join(', ')})`;
  return found.length === 0
    ? `${files.join(', ')}${managers}, but no hook is installed`
    : `${found.map(({ name }) => name).join(' and ')} in ${folder}${managers}`;
}

/** Only a person on a terminal can enable them: they may have come with a clone. */
export async function wantsHooks({ terminal }: CommandContext, hooks: Hooks | null): Promise<boolean> {
  if (hooks === null || hooks.found.length === 0 || terminal.ask === null) return false;
  const question = `This repository has hooks: ${hooksName(hooks)}.\nLet them check each commit that Ralph makes? [y/N] `;
  return /^y(es)?$/i.test((await terminal.ask(question)).trim());
}
