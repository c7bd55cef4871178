// The agents that Ralph knows by name, and what a person does where one is missing or not logged in.

type KnownAgent = {
  /** What to type to install it. */
  install: string;
  /** What to do without a login, as a sentence without its end. */
  login: string;
  /** Variables that hold a key, and files that hold a login: any of them is enough. */
  keys: readonly string[];
  logins: readonly string[];
  /** Whether a key counts where there is a login, too. */
  prefersKey?: true;
  /** Variables with the address of its model. */
  addresses: readonly string[];
  /** What such a file contains only after a login, if it holds more than that. */
  loginMark?: RegExp;
  /** Where it reaches its model if nothing else is configured. */
  hosts: readonly string[];
};

export const KNOWN_AGENTS = {
  claude: {
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'Start claude once and type /login, or set ANTHROPIC_API_KEY',
    keys: ['ANTHROPIC_API_KEY'],
    logins: [],
    addresses: [],
    hosts: [],
  },
  codex: {
    install: 'npm install -g @openai/codex',
    login: 'Run codex login once, or set OPENAI_API_KEY',
    keys: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    logins: ['$CODEX_HOME/auth.json', '~/.codex/auth.json'],
    addresses: ['OPENAI_BASE_URL'],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  },
  gemini: {
    install: 'npm install -g @google/gemini-cli',
    login: 'Start gemini once and log in with Google, or set GEMINI_API_KEY',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    logins: ['$GEMINI_CLI_HOME/.gemini/oauth_creds.json', '~/.gemini/oauth_creds.json'],
    prefersKey: true,
    addresses: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'CODE_ASSIST_ENDPOINT'],
    hosts: [
      ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'aiplatform.googleapis.com'],
      ...['oauth2.googleapis.com', 'www.googleapis.com'],
    ],
  },
  opencode: {
    install: 'npm install -g opencode-ai',
    login: 'Run opencode auth login once, or set the key of your provider, such as ANTHROPIC_API_KEY',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'OPENCODE_API_KEY'],
    logins: ['$XDG_DATA_HOME/opencode/auth.json', '~/.local/share/opencode/auth.json'],
    addresses: [],
    hosts: [
      ...['models.dev', 'opencode.ai', '*.opencode.ai', 'openrouter.ai', 'api.anthropic.com'],
      ...['api.openai.com', 'generativelanguage.googleapis.com'],
    ],
  },
  qwen: {
    install: 'npm install -g @qwen-code/qwen-code',
    login: 'Set OPENAI_API_KEY, and OPENAI_BASE_URL for a provider that is not OpenAI',
    keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'],
    logins: [],
    addresses: ['OPENAI_BASE_URL'],
    hosts: [
      ...['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'coding.dashscope.aliyuncs.com'],
      ...['coding-intl.dashscope.aliyuncs.com', 'api.openai.com', 'openrouter.ai'],
    ],
  },
  copilot: {
    install: 'npm install -g @github/copilot',
    login: 'Run copilot login once, or set COPILOT_GITHUB_TOKEN',
    keys: ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN'],
    logins: ['$COPILOT_HOME/config.json', '~/.copilot/config.json'],
    loginMark: /logged_?in_?user/i,
    addresses: ['COPILOT_PROVIDER_BASE_URL'],
    hosts: ['api.github.com', 'github.com', '*.githubcopilot.com'],
  },
} as const satisfies Readonly<Record<string, KnownAgent>>;

export type AgentName = keyof typeof KNOWN_AGENTS;

export const AGENT_NAMES = Object.keys(KNOWN_AGENTS) as AgentName[];

/** Null for an agent of the person's own. */
export const findKnownAgent = (name: string): KnownAgent | null =>
  Object.hasOwn(KNOWN_AGENTS, name) ? KNOWN_AGENTS[name as AgentName] : null;
