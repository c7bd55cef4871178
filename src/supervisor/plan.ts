// What a process is given, whatever it is for: prompt and rules in its folder, and Ralph's own server first.
import { join } from 'node:path';
import type { RecipeName } from '../domain/context.ts';
import { writeFileWhole } from '../host/write-file.ts';
import type { McpEntry, Plan } from './agent.ts';
import type { SupervisorInput } from './input.ts';

export type PlanInput = {
  session_id: string;
  client_id: string;
  task_id: number;
  recipe: RecipeName;
  folder: string;
  model: string;
  max_turns: number;
  budget_usd: number;
  tools: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Servers besides Ralph's own. */
  others: readonly (readonly [name: string, entry: McpEntry])[];
};

/** A session does not survive its machine, and neither need what it was given. */
export const PASSING = { mode: 0o600, isDurable: false } as const;

export async function planFor(
  input: Pick<SupervisorInput, 'root' | 'config' | 'ralph' | 'writePrompt'>,
  given: PlanInput,
): Promise<Plan> {
  const { root, config, ralph } = input;
  const { session_id, task_id, recipe, folder, others, ...rest } = given;
  const { system, prompt, learnings } = await input.writePrompt(recipe, { task_id });
  await writeFileWhole(join(folder, 'system.md'), system, PASSING);
  await writeFileWhole(join(folder, 'prompt.md'), prompt, PASSING);
  const [command = '', ...args] = ralph;
  const own: McpEntry = {
    command,
    args: [...args, 'serve'],
    env: {
      RALPH_PROJECT: root,
      RALPH_SESSION_ID: session_id,
      RALPH_TASK_ID: String(task_id),
      RALPH_RECIPE: recipe,
    },
    alwaysLoad: true,
  };
  return {
    ...rest,
    session_id,
    task_id,
    recipe,
    root,
    folder,
    permissions: config.permissions,
    system,
    prompt,
    learnings,
    // Ralph's is the last word: no other server may take its name.
    mcpServers: { ...Object.fromEntries(others), ralph: own },
    ralph,
  };
}
