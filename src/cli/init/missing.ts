// What a first run would stumble over: looked for without running anything of the project.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { missingExecutable } from '../../app/missing-executable.ts';
import type { World } from '../../app/world.ts';
import type { GateConfig } from '../../domain/config.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import type { Repository } from '../../project/init/repository.ts';
import { packageManager } from '../../project/init/suggest-node-gates.ts';

export type Missing = { what: string; fix: string };

type Where = { root: string; repository: Repository; env: World['env'] };

export const findMissing = (
  where: Where,
  agent: string,
  gates: readonly Pick<GateConfig, 'command'>[],
): Missing[] => [
  ...(agent === 'claude' ? missingClient(where.env) : []),
  ...missingTools(where, gates),
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

/** Only whether there is something; macOS keeps it where nobody can look without being asked. */
function seemsLoggedIn(env: World['env']): boolean {
  if (process.platform === 'darwin' || LOGINS.some((name) => env[name])) return true;
  const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
  return ['.credentials.json', 'settings.json'].some((name) => existsSync(join(folder, name)));
}

/** How each of these is come by, where its name does not say it. */
const INSTALLS: Readonly<Record<string, string>> = {
  pnpm: 'npm install -g pnpm',
  yarn: 'npm install -g yarn',
  bun: 'npm install -g bun',
  uv: 'pip install uv',
  poetry: 'pip install poetry',
  pdm: 'pip install pdm',
  ruff: 'pip install ruff',
};

function missingTools({ root, env }: Where, gates: readonly Pick<GateConfig, 'command'>[]): Missing[] {
  const missing = gates.flatMap(({ command }) => missingExecutable(command, root, env['PATH']) ?? []);
  return [...new Set(missing)].map((tool) => ({
    what: `${tool} is not installed`,
    fix: INSTALLS[tool] ?? `install ${tool}`,
  }));
}

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
