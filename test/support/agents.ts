// The real programs of other agents, fetched once by scripts/agents.ts, and how each is pointed at a scripted model.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Turn } from './scripted-model.ts';

/** Not in node_modules: `npm ci` would remove it. */
export const AGENTS_FOLDER = resolve('.cache/agents');

export type RealAgent = {
  name: string;
  package: string;
  version: string;
  /** The lines of its configuration that lead to the model at `url`. */
  config(url: string): string;
  env(url: string): Readonly<Record<string, string>>;
  /** How its model runs a command, and calls a verb. */
  shell(command: string): Turn;
  verb(name: string, input: object): Turn;
};

const KEY = 'dummy-key-of-a-test';

const CODEX: RealAgent = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  config: (url) => `model: codex/scripted
agent_settings:
  codex:
    model_provider: scripted
    model_providers:
      scripted: { name: scripted, base_url: ${url}/v1, env_key: OPENAI_API_KEY, wire_api: responses }
`,
  env: () => ({ OPENAI_API_KEY: KEY }),
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  verb: (name, input) => ({ tool: `mcp__ralph__${name}`, input }),
};

const GEMINI: RealAgent = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  config: () => 'model: gemini/scripted\n',
  env: (url) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  verb: (name, input) => ({ tool: `mcp_ralph_${name}`, input }),
};

const OPENCODE: RealAgent = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  config: (url) => `model: opencode/scripted/m
agent_settings:
  opencode:
    lsp: false
    provider:
      scripted:
        npm: '@ai-sdk/openai-compatible'
        options: { baseURL: ${url}/v1, apiKey: ${KEY} }
        models: { m: { cost: { input: 1, output: 2 }, limit: { context: 100000, output: 10000 } } }
`,
  // The list of all models is not on this machine.
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' }),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'work' } }),
  verb: (name, input) => ({ tool: `ralph_${name}`, input }),
};

const QWEN: RealAgent = {
  name: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  config: () => 'model: qwen/scripted\n',
  env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  shell: (command) => ({ tool: 'run_shell_command', input: { command, is_background: false } }),
  verb: (name, input) => ({ tool: `mcp__ralph__${name}`, input }),
};

const COPILOT: RealAgent = {
  name: 'copilot',
  package: '@github/copilot',
  version: '1.0.102',
  config: (url) => `model: copilot/scripted
agent_settings:
  copilot: { COPILOT_PROVIDER_BASE_URL: ${url}/v1, COPILOT_OFFLINE: 'true' }
`,
  env: () => ({
    COPILOT_PROVIDER_API_KEY: KEY,
    // It unpacks itself to a cache, which every home of a test would get again.
    COPILOT_CACHE_HOME: join(AGENTS_FOLDER, 'copilot/cache'),
  }),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'work' } }),
  verb: (name, input) => ({ tool: `ralph-${name}`, input }),
};

export const REAL_AGENTS: readonly RealAgent[] = [CODEX, GEMINI, OPENCODE, QWEN, COPILOT];

const folderOf = ({ name }: Pick<RealAgent, 'name'>): string => join(AGENTS_FOLDER, name);

/** The folder with its program; null if the pinned version is not there. */
export function findRealAgent(agent: RealAgent): string | null {
  const manifest = join(folderOf(agent), 'node_modules', agent.package, 'package.json');
  if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).version !== agent.version)
    return null;
  return join(folderOf(agent), 'node_modules/.bin');
}
