// The agents that Ralph knows by name, and what a person does where one is missing or not logged in.

export type KnownAgent = {
  /** What to type to install it. */
  install: string;
  /** What to do without a login, as a sentence without its end. */
  login: string;
  /** Variables that hold a key, and files that hold a login: any of them is enough. */
  keys: readonly string[];
  logins: readonly string[];
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
    hosts: [],
  },
  codex: {
    install: 'npm install -g @openai/codex',
    login: 'Run codex login once, or set OPENAI_API_KEY',
    keys: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    logins: ['$CODEX_HOME/auth.json', '~/.codex/auth.json'],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  },
  opencode: {
    install: 'npm install -g opencode-ai',
    login: 'Run opencode auth login once, or set the key of your provider, such as ANTHROPIC_API_KEY',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'OPENCODE_API_KEY'],
    logins: ['$XDG_DATA_HOME/opencode/auth.json', '~/.local/share/opencode/auth.json'],
    hosts: [
      ...['models.dev', 'opencode.ai', '*.opencode.ai', 'openrouter.ai', 'api.anthropic.com'],
      ...['api.openai.com', 'generativelanguage.googleapis.com'],
    ],
  },
  copilot: {
    install: 'npm install -g @github/copilot',
    login: 'Run copilot login once, or set COPILOT_GITHUB_TOKEN',
    keys: ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN'],
    logins: ['$COPILOT_HOME/config.json', '~/.copilot/config.json'],
    loginMark: /logged_?in_?user/i,
    hosts: ['api.github.com', 'github.com', '*.githubcopilot.com'],
  },
} as const satisfies Readonly<Record<string, KnownAgent>>;

export type AgentName = keyof typeof KNOWN_AGENTS;

export const AGENT_NAMES = Object.keys(KNOWN_AGENTS) as AgentName[];

/** Null for an agent of the person's own. */
export const findKnownAgent = (name: string): KnownAgent | null =>
  Object.hasOwn(KNOWN_AGENTS, name) ? KNOWN_AGENTS[name as AgentName] : null;
