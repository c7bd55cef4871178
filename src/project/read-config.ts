import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Config, RECIPE_NAMES, type RecipeOverride } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { requireOwnFile } from '../files/own-file.ts';

export const CONFIG_FILE = join('.ralph', 'config.yaml');

/** A key that the file does not set has its default; so has every key if there is no file. */
export async function readConfig(root: string): Promise<Config> {
  requireOwnFile(root, CONFIG_FILE);
  const { readYaml, configSchema } = await parsers();
  const read = await readYaml(join(root, CONFIG_FILE), CONFIG_FILE, configSchema);
  const config = read === undefined ? configSchema.parse({}) : read.value;
  const { policy, hooks, message } = config.commit;
  return {
    ...config,
    progress_file: config.progress_file === 'off' ? null : config.progress_file,
    commit: policy,
    commit_hooks: hooks,
    commit_message: message,
    gates: config.gates.map((gate) => ({ ...gate, env: config.env })),
  };
}

export async function readRecipeOverrides(root: string): Promise<Map<string, RecipeOverride>> {
  const folder = join('.ralph', 'recipes');
  const files = (await readdir(join(root, folder)).catch(() => []))
    .filter((file) => /\.ya?ml$/.test(file))
    .sort();
  const { readYaml, recipeSchema } = await parsers();
  const overrides = new Map<string, RecipeOverride>();
  for (const file of files) {
    const label = join(folder, file);
    const name = basename(file).replace(/\.ya?ml$/, '');
    if (!(RECIPE_NAMES as readonly string[]).includes(name)) {
      throw new Refusal(
        `${label}: there is no recipe "${name}"${didYouMean(name, RECIPE_NAMES) || `; there are ${RECIPE_NAMES.join(', ')}.`}`,
      );
    }
    requireOwnFile(root, label);
    const read = await readYaml(join(root, label), label, recipeSchema);
    if (read !== undefined) overrides.set(name, read.value);
  }
  return overrides;
}

// Imported late: zod and yaml are half of Ralph's start-up time, and most commands need neither.
const parsers = async () => ({
  ...(await import('./definitions/yaml.ts')),
  ...(await import('./definitions/schema/config.ts')),
});
