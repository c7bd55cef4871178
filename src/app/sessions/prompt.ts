// Prompts: written anew, read back as a session got them, and the difference between the two.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type GatherInput, gather } from '../../context/gather.ts';
import { type Embedder, sharedEmbedder } from '../../context/ollama.ts';
import type { Config, RecipeOverride } from '../../domain/config.ts';
import type { RecipeName } from '../../domain/context.ts';
import { Refusal } from '../../domain/refusal.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { BASE, chooseVariant, variantNames } from '../../domain/sessions/variants.ts';
import { isLocalOllama } from '../../domain/trust.ts';
import { type OpenedFile, openOwnFile } from '../../files/own-file.ts';
import { readFileEnd } from '../../files/read-lines.ts';
import { MAX_BYTES } from '../../files/read-text.ts';
import { openArtifacts } from '../../host/artifacts/artifacts.ts';
import { acceptedFiles } from '../../host/definitions/accepted.ts';
import { commitChanges, diffFromFile } from '../../host/git/diff.ts';
import { projectFiles } from '../../host/git/project-files.ts';
import { sessionChanges } from '../../host/landing/session-changes.ts';
import { ARTIFACT, planningDir, promptFile } from '../../host/session-folder.ts';
import { readConfig, readRecipeOverrides } from '../../project/read-config.ts';
import { storedArtifacts } from '../../queue/sessions/artifacts.ts';
import { show } from '../../queue/tasks/show.ts';
import { RECIPES } from '../../recipes/index.ts';
import { withOverride } from '../../recipes/override.ts';
import type { Recipe } from '../../recipes/recipe.ts';
import { type Prompt, render } from '../../recipes/render.ts';
import { codebase } from '../../recipes/sections/project-context.ts';
import { readTrust } from '../definitions/trust.ts';
import type { Project } from '../open-project.ts';
import type { CommandContext, ProjectContext } from '../world.ts';

/** Gathers and renders the prompt of a recipe, exactly as an agent gets it. */
export async function writePrompt(
  context: ProjectContext,
  project: Project,
  name: RecipeName,
  input: GatherInput,
  /** Instead of the configuration in the file. */
  config?: Config,
): Promise<Prompt> {
  const { root, stateDir, queue } = project;
  const place = { root, stateDir, env: context.env };
  const accepted = await acceptedFiles(project);
  const { recipe, variant } = chooseRecipe(name, await readRecipeOverrides(root, accepted), input.session_id);
  const chosen = config ?? (await readConfig(root, accepted));
  const source = {
    store: queue.store,
    root,
    filesRoot: input.root ?? root,
    accepted,
    title: basename(root),
    config: chosen,
    embedder: await embedderFor(context, project, chosen),
    changesOf: (session_id: string) => sessionChanges(place, session_id),
    changesIn: (commit: string) => commitChanges(place, commit),
    ...(recipe.sections.some((section) => section.name === codebase.name) && {
      listFiles: () => projectFiles(place),
    }),
  };
  return maskValue({ ...render(recipe, await gather(source, input)), variant }, queue.mask);
}

/** A session takes part in a comparison if its recipe has variants; a preview never does. */
function chooseRecipe(
  name: RecipeName,
  overrides: ReadonlyMap<string, RecipeOverride>,
  session_id: string | undefined,
): { recipe: Recipe; variant: string | null } {
  const names = variantNames(name, overrides.keys());
  const variant = session_id === undefined || names.length === 0 ? null : chooseVariant(names, session_id);
  const file = variant === null || variant === BASE ? name : `${name}.${variant}`;
  return { recipe: withOverride(RECIPES[name], overrides.get(file), file), variant };
}

type KeptPlace = Pick<Project, 'stateDir' | 'queue'>;

/** The prompt that a session got; null if nothing holds it. */
export async function keptPrompt(
  place: KeptPlace,
  session_id: string,
  recipe: RecipeName,
): Promise<string | null> {
  const end = await readFileEnd(() => openPrompt(place, session_id, recipe), MAX_BYTES);
  return end?.text ?? null;
}

/** A review has its own folder inside the folder of the session that it reviews. */
function openPrompt(
  { stateDir, queue }: KeptPlace,
  session_id: string,
  recipe: RecipeName,
): Promise<OpenedFile | null> {
  if (recipe !== 'task_execution' && recipe !== 'opus_review')
    return openOwnFile(promptFile(planningDir(stateDir, session_id)));
  const name = recipe === 'opus_review' ? `review/${ARTIFACT.prompt}` : ARTIFACT.prompt;
  return openArtifacts(stateDir, storedArtifacts(queue)).open({ session_id }, name);
}

/** What changed since the prompt of the task's last session. */
export async function promptDiff(
  { env }: CommandContext,
  project: Project,
  id: number,
  { prompt }: Prompt,
): Promise<string> {
  const { root, stateDir, queue } = project;
  const last = (await show(queue, id)).sessions.at(-1);
  const before = last === undefined ? null : await keptPrompt(project, last.id, 'task_execution');
  if (before === null)
    throw new Refusal(
      `Task ${id} has had no session whose prompt was kept; there is nothing to compare with.`,
    );
  const folder = await mkdtemp(join(stateDir, 'prompt-'));
  try {
    const file = join(folder, ARTIFACT.prompt);
    await writeFile(file, before, { mode: 0o600 });
    const diff = await diffFromFile({ root, stateDir, env }, file, prompt);
    return diff?.trimEnd() ?? 'Nothing has changed since the last session.';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null if the project's configuration names another server for its learnings and no person has trusted it. */
export async function embedderFor(
  context: ProjectContext,
  project: Project,
  config: Config,
): Promise<Embedder | null> {
  const { ollama_url: url, embedding_model: model } = config.knowledge;
  const isAllowed = isLocalOllama(url) || (await readTrust(context, project, config)).trusted;
  return isAllowed ? sharedEmbedder({ url, model }) : null;
}
