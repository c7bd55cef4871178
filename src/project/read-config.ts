import { basename, join } from 'node:path';
import { type Config, type LandConfig, RECIPE_NAMES, type RecipeOverride } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { BASE } from '../domain/sessions/variants.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { type AcceptedFiles, acceptedNames } from '../files/accepted-files.ts';
import { requireOwnFile } from '../files/own-file.ts';
import { namesIn } from '../files/read-text.ts';

export const CONFIG_FILE = join('.ralph', 'config.yaml');

/** A key that the file does not set has its default; so has every key if there is no file. */
export async function readConfig(root: string, accepted: AcceptedFiles = null): Promise<Config> {
  if (accepted === null) requireOwnFile(root, CONFIG_FILE);
  const { readYaml, configSchema } = await parsers();
  const read = await readYaml(join(root, CONFIG_FILE), CONFIG_FILE, configSchema, accepted);
  const config = read === undefined ? configSchema.parse({}) : read.value;
  const { policy, hooks, message } = config.commit;
  return {
    ...config,
    land: withRemote(config.land),
    progress_file: config.progress_file === 'off' ? null : config.progress_file,
    commit: policy,
    commit_hooks: hooks,
    commit_message: message,
    gates: config.gates.map((gate) => ({ ...gate, env: config.env })),
  };
}

/** Pull requests need a remote. Only if the file names it do machines meet there. */
const withRemote = (land: LandConfig): LandConfig =>
  land.target === 'pull_request' && land.remote === null ? { ...land, remote: 'origin', refs: null } : land;

/** The recipe whose outcome the gates prove: only its variants can be compared. */
const COMPARED: RecipeName = 'task_execution';
const VARIANT = /^[\w-]{1,40}$/;

/** By the name of the file: of a recipe, or of a variant of it such as `task_execution.short`. */
export async function readRecipeOverrides(
  root: string,
  accepted: AcceptedFiles = null,
): Promise<Map<string, RecipeOverride>> {
  const folder = join('.ralph', 'recipes');
  const names = accepted === null ? namesIn(join(root, folder)) : acceptedNames(accepted, folder);
  const files = names.filter((file) => /\.ya?ml$/.test(file)).sort();
  const { readYaml, recipeSchema } = await parsers();
  const overrides = new Map<string, RecipeOverride>();
  for (const file of files) {
    const label = join(folder, file);
    const name = basename(file).replace(/\.ya?ml$/, '');
    requireRecipe(label, name);
    if (accepted === null) requireOwnFile(root, label);
    const read = await readYaml(join(root, label), label, recipeSchema, accepted);
    if (read !== undefined) overrides.set(name, read.value);
  }
  return overrides;
}

function requireRecipe(label: string, name: string): void {
  const [recipe = '', variant] = name.split(/\.(.*)/);
  if (!(RECIPE_NAMES as readonly string[]).includes(recipe))
    throw new Refusal(
      `${label}: there is no recipe "${recipe}"${didYouMean(recipe, RECIPE_NAMES) || `; there are ${RECIPE_NAMES.join(', ')}.`}`,
    );
  if (variant === undefined) return;
  if (recipe !== COMPARED)
    throw new Refusal(`${label}: only ${COMPARED} can have variants, because gates judge its sessions.`);
  if (variant === BASE || !VARIANT.test(variant))
    throw new Refusal(
      `${label}: "${variant}" cannot be the name of a variant; use letters, digits, - and _, and not ${BASE}.`,
    );
}

// Imported late: zod and yaml are half of Ralph's start-up time, and most commands need neither.
const parsers = async () => ({
  ...(await import('./definitions/yaml.ts')),
  ...(await import('./definitions/schema/config.ts')),
});
