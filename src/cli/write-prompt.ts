import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { diffFromFile, diffSince } from '../host/git.ts';
import { sessionDir } from '../host/project.ts';
import { gather } from '../knowledge/gather.ts';
import { readConfig, readRecipeOverrides } from '../knowledge/read-config.ts';
import { show } from '../queue/show.ts';
import { RECIPES } from '../recipes/index.ts';
import { withOverride } from '../recipes/override.ts';
import { type Prompt, render } from '../recipes/render.ts';
import type { CommandContext } from './command.ts';
import type { Project } from './project.ts';

/** The prompt of a task, or of the project for a recipe that is about no task. */
export async function writePrompt(
  { env }: CommandContext,
  { root, queue }: Project,
  task_id: number,
  name: RecipeName,
): Promise<Prompt> {
  const recipe = withOverride(RECIPES[name], (await readRecipeOverrides(root)).get(name));
  const source = {
    store: queue.store,
    root,
    title: basename(root),
    config: await readConfig(root),
    diffSince: (commit: string) => diffSince({ root, env }, commit),
  };
  const inputs = { task: { task_id }, drafts: { drafts: [task_id] }, project: {} };
  return render(recipe, await gather(source, inputs[recipe.subject]));
}

export async function promptDiff(
  { env }: CommandContext,
  { root, stateDir, queue }: Project,
  id: number,
  { prompt }: Prompt,
): Promise<string> {
  const last = (await show(queue, id)).sessions.at(-1);
  const file = last === undefined ? null : join(sessionDir(stateDir, last.id), 'prompt.md');
  if (file === null || !existsSync(file)) {
    throw new Refusal(
      `Task ${id} has had no session whose prompt was kept; there is nothing to compare with.`,
    );
  }
  const diff = await diffFromFile({ root, env }, file, prompt);
  return diff?.trimEnd() ?? 'Nothing has changed since the last session.';
}
