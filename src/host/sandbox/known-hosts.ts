// Hosts that a project already relies on: those that its lock files and the settings of its package managers name, and the model's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../../domain/sandbox/hosts.ts';
import type { Environment } from '../processes/spawn.ts';

const LOCK_FILES = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'],
  ...[
    'poetry.lock',
    'uv.lock',
    'Pipfile.lock',
    'requirements.txt',
    'Cargo.lock',
    'composer.lock',
    'Gemfile.lock',
  ],
  ...['go.sum', 'mix.lock', 'deno.lock'],
];

const SETTINGS = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pip.conf',
  'pyproject.toml',
  'Gemfile',
  'pom.xml',
];

const IN_HOME = [
  '.npmrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.cargo/config.toml',
  '.bundle/config',
];

const VARIABLES = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'UV_INDEX_URL', 'GOPROXY'];

const MAX_BYTES = 32 * 1024 * 1024;

/** Read before the first agent: what an agent writes into a lock file opens no way out in this run. */
export function projectHosts(root: string, env: Environment): string[] {
  const home = env['HOME'];
  const files = [
    ...[...LOCK_FILES, ...SETTINGS].map((name) => join(root, name)),
    ...(home === undefined ? [] : IN_HOME.map((name) => join(home, name))),
  ];
  const texts = [...files.map(readOrEmpty), ...VARIABLES.map((name) => env[name] ?? '')];
  return [...new Set(texts.flatMap(hostsIn))];
}

/** Of URLs, with their port if they name one. Lock files have thousands, of few hosts. */
function hostsIn(text: string): string[] {
  const hosts = new Set<string>();
  for (const [, host = ''] of text.matchAll(
    /(?:https?:)?\/\/(?:[^\s/@"']*@)?([a-z0-9.-]+\.[a-z0-9-]+(?::\d+)?)(?=[/"'\s]|$)/gi,
  ))
    if (!isLoopback(host.replace(/:\d+$/, ''))) hosts.add(host.toLowerCase());
  return [...hosts];
}

function readOrEmpty(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length <= MAX_BYTES ? text : '';
  } catch {
    return '';
  }
}

/** Where the client talks to if nothing else is configured: the API, and what renews a login. */
const DEFAULT_MODEL = ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'];

/** Variables with the address of the model, directly or through a gateway. */
const MODEL_VARIABLES = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL'];

/** Of addresses in the settings of an agent, which a person has trusted. */
export const settingHosts = (settings: unknown): string[] =>
  [...JSON.stringify(settings).matchAll(/"(https?:\/\/[^"\\]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => URL.canParse(url))
    .map(parseHost);

function parseHost(text: string): string {
  const { hostname, port, protocol } = new URL(text);
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
}

export function modelHosts(env: Environment): string[] {
  const urls = MODEL_VARIABLES.flatMap((name) => env[name] ?? []).filter((url) => URL.canParse(url));
  const named = urls.map(parseHost);
  return env['ANTHROPIC_BASE_URL'] === undefined ? [...DEFAULT_MODEL, ...named] : named;
}
