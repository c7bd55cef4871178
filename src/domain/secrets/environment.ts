// The environment variables that agents and gates get: these, and those that `env:` in the configuration names.
import { isSecretName, type Variables } from './secret-names.ts';

type Receiver = 'agent' | 'gate';

/** Variables that programs need for their tools, their locale and the network. A star matches any characters. */
const EVERYONE = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'TERM',
    'COLORTERM',
    'NO_COLOR',
    'FORCE_COLOR',
    'COLUMNS',
    'LINES',
  ],
  ...[
    'LANG',
    'LANGUAGE',
    'LC_*',
    'TZ',
    'PWD',
    'TMPDIR',
    'TMP',
    'TEMP',
    'XDG_*',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'EDITOR',
  ],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'all_proxy',
  ],
  ...[
    'NODE_EXTRA_CA_CERTS',
    'NODE_OPTIONS',
    'NODE_PATH',
    'NODE_ENV',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'CURL_CA_BUNDLE',
  ],
  ...[
    'REQUESTS_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'CI',
    'IS_SANDBOX',
    'container',
    'WSL_*',
    'WSLENV',
    'DOCKER_HOST',
  ],
  ...[
    'GIT_AUTHOR_*',
    'GIT_COMMITTER_*',
    'EMAIL',
    'LD_LIBRARY_PATH',
    'DYLD_*',
    'PKG_CONFIG_PATH',
    'CC',
    'CXX',
    'CFLAGS',
  ],
  ...['CXXFLAGS', 'LDFLAGS', 'MAKEFLAGS', 'NIX_*', 'IN_NIX_SHELL', 'HOMEBREW_*'],
  ...[
    'NVM_*',
    'FNM_*',
    'VOLTA_HOME',
    'N_PREFIX',
    'ASDF_*',
    'MISE_*',
    'COREPACK_*',
    'PNPM_HOME',
    'BUN_INSTALL',
    'DENO_*',
  ],
  ...[
    'npm_config_cache',
    'npm_config_prefix',
    'npm_config_registry',
    'NPM_CONFIG_CACHE',
    'NPM_CONFIG_PREFIX',
  ],
  ...[
    'PYENV_*',
    'PYTHON*',
    'VIRTUAL_ENV',
    'CONDA_*',
    'POETRY_HOME',
    'PIPX_*',
    'UV_*',
    'RBENV_*',
    'GEM_*',
    'BUNDLE_*',
  ],
  ...[
    'JAVA_HOME',
    'JDK_HOME',
    'MAVEN_*',
    'M2_HOME',
    'GRADLE_*',
    'SDKMAN_*',
    'ANDROID_HOME',
    'ANDROID_SDK_ROOT',
  ],
  ...[
    'GOPATH',
    'GOROOT',
    'GOBIN',
    'GOCACHE',
    'GOFLAGS',
    'GOMODCACHE',
    'GOPROXY',
    'GOTOOLCHAIN',
    'CARGO_HOME',
    'RUSTUP_*',
  ],
  ...[
    'RUSTFLAGS',
    'RUST_BACKTRACE',
    'DOTNET_*',
    'COMPOSER_HOME',
    'PHP_*',
    'PERL5LIB',
    'MIX_*',
    'HEX_HOME',
    'OPAM*',
  ],
  ...['PLAYWRIGHT_*', 'PUPPETEER_*', 'CHROME_PATH', 'CHROMIUM_PATH', 'SSH_AUTH_SOCK', 'RALPH_*'],
  ...['SystemRoot', 'SYSTEMROOT', 'windir', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'],
];

/** Variables with which Claude Code logs in, directly or through a cloud. */
const AGENT = [
  ...[
    'ANTHROPIC_*',
    'CLAUDE_*',
    'CLAUDECODE',
    'DISABLE_*',
    'ENABLE_*',
    'MCP_*',
    'BASH_*',
    'MAX_THINKING_TOKENS',
  ],
  ...[
    'MAX_MCP_OUTPUT_TOKENS',
    'USE_BUILTIN_RIPGREP',
    'API_TIMEOUT_MS',
    'OTEL_*',
    'VERTEX_*',
    'CLOUD_ML_REGION',
  ],
  ...['AWS_*', 'GOOGLE_*', 'GCLOUD_*', 'CLOUDSDK_*', 'AZURE_*'],
];

export const PASSED_VARIABLES: Readonly<Record<Receiver, readonly string[]>> = {
  agent: [...EVERYONE, ...AGENT],
  gate: EVERYONE,
};

const matches = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => pattern === name || expressionFor(pattern).test(name));

const expressions = new Map<string, RegExp>();

function expressionFor(pattern: string): RegExp {
  let expression = expressions.get(pattern);
  if (expression === undefined) {
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    expression = new RegExp(`^${parts.join('.*')}$`);
    expressions.set(pattern, expression);
  }
  return expression;
}

/** What would lead an agent or a gate to the state or into another session. No configuration can pass it. */
export const WITHHELD_VARIABLES = [
  ...['RALPH_PROJECT', 'RALPH_RECIPE', 'RALPH_READY_FILE', 'RALPH_MCP_CONFIG'],
  ...['RALPH_SOCKET', 'RALPH_TOKEN', 'RALPH_DATABASE_URL'],
];

/** With a queue on PostgreSQL these may lead to it, by whichever name the configuration passes them on. */
const leadsToQueue = (env: Variables, name: string): boolean => {
  const address = env['RALPH_DATABASE_URL'];
  return (
    address !== undefined && address !== '' && (/^PG[A-Z]+$/.test(name) || isSameServer(env[name], address))
  );
};

const isSameServer = (value: string | undefined, address: string): boolean => {
  const server = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]+)/i;
  const [found, own] = [server.exec(value ?? '')?.[1], server.exec(address)?.[1]];
  return found !== undefined && found.replace(/:5432$/, '') === own?.replace(/:5432$/, '');
};

function isPassed(receiver: Receiver, name: string, more: readonly string[], env: Variables): boolean {
  if (WITHHELD_VARIABLES.includes(name) || leadsToQueue(env, name)) return false;
  if (matches(name, more) || (receiver === 'agent' && matches(name, AGENT))) return true;
  // A star covers settings, not secrets: PHP_TOKEN is passed only if the configuration names it.
  return EVERYONE.includes(name) || (matches(name, EVERYONE) && !isSecretName(name));
}

/** `more`: names and patterns of the configuration. */
export function environmentFor(
  receiver: Receiver,
  env: Variables,
  more: readonly string[] = [],
): Record<string, string> {
  const passed = Object.entries(env).filter(([name]) => isPassed(receiver, name, more, env));
  return Object.fromEntries(passed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Variables that tests often need, such as DATABASE_URL, but that gates do not get. */
export const withheldVariables = (env: Variables, more: readonly string[]): string[] =>
  Object.keys(env)
    .filter((name) => isSecretName(name) || /_(?:URL|URI|HOST|ENDPOINT)$/.test(name))
    .filter((name) => !isPassed('gate', name, more, env) && !matches(name, AGENT))
    .sort();
