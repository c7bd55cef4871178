// What a process is given, whatever it is for: prompt and rules in its folder, and Ralph's own server first.
import { join } from 'node:path';
import type { GatherInput } from '../context/gather.ts';
import type { RecipeName } from '../domain/context.ts';
import { environmentFor } from '../domain/secrets/environment.ts';
import { secretValues } from '../domain/secrets/secret-names.ts';
import type { McpServer } from '../domain/tasks/discipline.ts';
import type { Task } from '../domain/tasks/task.ts';
import { writeFileWhole } from '../files/write-file.ts';
import type { Environment } from '../host/processes/spawn.ts';
import type { LaunchSpec, McpEntry } from './agent.ts';
import type { SupervisorInput } from './input.ts';

export type LaunchInput = {
  session_id: string;
  client_id: string;
  recipe: RecipeName;
  /** What its prompt is about. */
  about: GatherInput;
  folder: string;
  model: string;
  max_turns: number;
  budget_usd: number;
  tools: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Servers besides Ralph's own. */
  others: readonly (readonly [name: string, entry: McpEntry])[];
};

/** The agent's own tools of a session that changes no file. */
export const READING = ['Read', 'Glob', 'Grep', 'ReadMcpResourceTool', 'ListMcpResourcesTool'];

/** A session does not survive its machine, and neither need what it was given. */
export const PASSING = { mode: 0o600, isDurable: false } as const;

export async function buildLaunchSpec(
  input: Pick<SupervisorInput, 'root' | 'config' | 'ralph' | 'writePrompt' | 'env'>,
  given: LaunchInput,
): Promise<LaunchSpec> {
  const { root, config, ralph } = input;
  const { session_id, about, recipe, folder, others, ...rest } = given;
  const { system, prompt, learnings } = await input.writePrompt(recipe, about);
  await writeFileWhole(join(folder, 'system.md'), system, PASSING);
  await writeFileWhole(join(folder, 'prompt.md'), prompt, PASSING);
  const own = ownServer(input, {
    RALPH_SESSION_ID: session_id,
    ...(about.task_id !== undefined && { RALPH_TASK_ID: String(about.task_id) }),
    RALPH_RECIPE: recipe,
    ...secretReferences(environmentFor('agent', input.env, config.env)),
  });
  return {
    ...rest,
    session_id,
    recipe,
    argument: String(about.task_id ?? about.drafts?.join(',') ?? ''),
    root,
    folder,
    permissions: config.permissions,
    passed: config.env,
    system,
    prompt,
    learnings,
    // Ralph's is the last word: no other server may take its name.
    mcpServers: { ...Object.fromEntries(others), ralph: own },
    ralph,
  };
}

/**
 * What the agent knows and might say, its server must know to mask it. Only as references, which the agent's client resolves: no
 * secret stands in the file.
 */
const secretReferences = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.keys(env)
      .filter((name) => secretValues({ [name]: env[name] }).length > 0)
      .map((name) => [name, `\${${name}}`]),
  );

/** Ralph's own server, for whoever the environment says it speaks to. */
export function ownServer(
  { root, ralph }: Pick<SupervisorInput, 'root' | 'ralph'>,
  env: Readonly<Record<string, string>>,
): McpEntry {
  const [command = '', ...args] = ralph;
  return { command, args: [...args, 'serve'], env: { RALPH_PROJECT: root, ...env }, alwaysLoad: true };
}

type Models = {
  /** What the agent of the last session asked for. */
  asked: string | null;
  task: Pick<Task, 'model' | 'attempts' | 'stuck_count'>;
  discipline: { model: string | null } | null;
  config: { model: string; ladder: readonly string[] };
};

/** Begins where the task, its discipline or the project says, and climbs with each attempt that failed. */
export function modelFor({ asked, task, discipline, config }: Models): string {
  // Only what the project itself climbs to: an agent's word must not choose any price.
  if (asked !== null && config.ladder.includes(asked)) return asked;
  const first = task.model ?? discipline?.model ?? config.model;
  const failed = task.attempts + task.stuck_count;
  const at = config.ladder.indexOf(first);
  if (failed === 0 || at < 0) return first;
  return config.ladder[Math.min(at + failed, config.ladder.length - 1)] ?? first;
}

/** `${VAR}` and `${VAR:-default}` are taken from the environment: what is secret stands in no file of the project. */
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
