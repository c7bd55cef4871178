// Builds the launch spec of an agent process: the prompt files in its folder, and its MCP servers.

import type { GatherInput } from '../../context/gather.ts';
import type { RecipeName } from '../../domain/context.ts';
import type { McpServer } from '../../domain/tasks/discipline.ts';
import type { Effort } from '../../domain/tasks/task.ts';
import type { Environment } from '../../host/processes/spawn.ts';
import { writePromptFiles } from '../../host/session-folder.ts';
import type { SupervisorInput } from '../input.ts';
import type { LaunchSpec, McpEntry } from './agent.ts';

type LaunchInput = {
  session_id: string;
  client_id: string;
  recipe: RecipeName;
  /** What its prompt is about. */
  about: GatherInput;
  folder: string;
  /** The folder in which the agent works; the project's own by default. */
  root?: string;
  model: string | null;
  effort: Effort | null;
  max_turns: number;
  budget_usd: number;
  tools: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Servers besides Ralph's own. */
  others: readonly (readonly [name: string, entry: McpEntry])[];
};

/** The agent's own tools of a session that changes no file. */
export const READING_TOOLS = ['Read', 'Glob', 'Grep', 'ReadMcpResourceTool', 'ListMcpResourcesTool'];

/** The client's sandbox makes sockets in TMPDIR, and that of a slot may be too long for the path of a socket. */
const SHORT_FOLDER = '/tmp';

export async function buildLaunchSpec(
  input: Pick<SupervisorInput, 'root' | 'config' | 'sandbox' | 'writePrompt'>,
  launch: LaunchInput,
): Promise<LaunchSpec> {
  const { root, config } = input;
  const { session_id, about, recipe, folder, others, ...rest } = launch;
  const { system, prompt, learnings, variant } = await input.writePrompt(recipe, {
    ...about,
    session_id,
    ...(launch.root !== undefined && { root: launch.root }),
  });
  await writePromptFiles(folder, { system, prompt });
  return {
    ...rest,
    session_id,
    recipe,
    argument: String(about.task_id ?? about.drafts?.join(',') ?? ''),
    root: launch.root ?? root,
    folder,
    permissions: config.permissions,
    isCommitter: config.commit === 'agent',
    envNames: config.env,
    bash: input.sandbox.bash,
    ...(input.sandbox.bash !== null && { env: { ...launch.env, TMPDIR: SHORT_FOLDER } }),
    system,
    prompt,
    learnings,
    variant,
    mcpServers: Object.fromEntries(others),
  };
}

/** The server that a person's client starts; `env` tells it what for. */
export function ownServer(
  { root, ralph }: Pick<SupervisorInput, 'root' | 'ralph'>,
  env: Readonly<Record<string, string>>,
): McpEntry {
  const [command = '', ...args] = ralph;
  return { command, args: [...args, 'serve'], env: { RALPH_PROJECT: root, ...env }, alwaysLoad: true };
}

/** Resolves `${VAR}` and `${VAR:-default}` from the environment, so that no file of the project contains a secret. */
export const expand = (text: string, env: Environment): string =>
  text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise: string = '') => env[name] ?? otherwise,
  );

export function mcpEntry({ command, args, env }: McpServer, from: Environment): McpEntry {
  return {
    command: expand(command, from),
    args: args.map((arg) => expand(arg, from)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expand(value, from)])),
  };
}
