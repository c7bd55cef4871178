import type { RecipeOverride } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { prose } from '../domain/text/markdown.ts';
import { RECIPES } from './index.ts';
import type { Recipe, Section } from './recipe.ts';

/** Applies `.ralph/recipes/NAME.yaml`, which can reorder, remove, replace and add sections. */
export function withOverride(
  recipe: Recipe,
  override: RecipeOverride | undefined,
  /** The name of its file, without the ending. */
  file: string = recipe.name,
): Recipe {
  if (override === undefined) return recipe;
  const own = new Map(
    Object.entries(override.text).map(([name, text]) => [name, ownSection(recipe, name, text)]),
  );
  const knownSections = new Map([
    ...allSections(),
    ...[...recipe.system, ...recipe.sections].map(byName),
    ...own,
  ]);
  for (const name of [...(override.sections ?? []), ...override.off])
    requireKnown(recipe, file, name, knownSections);
  const isOn = ({ name }: Section): boolean => !override.off.includes(name);
  const applyOwn = (section: Section): Section => own.get(section.name) ?? section;
  const order = override.sections?.flatMap((name) => knownSections.get(name) ?? []) ?? withAdded(recipe, own);
  return {
    ...recipe,
    system: recipe.system.map(applyOwn).filter(isOn),
    sections: order.map(applyOwn).filter(isOn),
  };
}

const byName = (section: Section): [string, Section] => [section.name, section];

const allSections = (): [string, Section][] =>
  Object.values(RECIPES).flatMap(({ system, sections }) => [...system, ...sections].map(byName));

const ownSection = ({ system, sections }: Recipe, name: string, text: string): Section => ({
  name,
  question:
    [...system, ...sections].find((section) => section.name === name)?.question ??
    'What else should be known here?',
  source: '.ralph/recipes',
  render: () => prose(text),
});

/** A new section goes before the last one, because the instructions must stay last. */
function withAdded({ system, sections }: Recipe, own: ReadonlyMap<string, Section>): readonly Section[] {
  const has = new Set([...system, ...sections].map(({ name }) => name));
  const added = [...own.values()].filter(({ name }) => !has.has(name));
  return [...sections.slice(0, -1), ...added, ...sections.slice(-1)];
}

function requireKnown(
  recipe: Recipe,
  file: string,
  name: string,
  knownSections: ReadonlyMap<string, Section>,
): void {
  if (knownSections.has(name)) return;
  const names = [...new Set([...recipe.system, ...recipe.sections].map((section) => section.name))];
  const hint = didYouMean(name, knownSections.keys());
  throw new Refusal(
    `.ralph/recipes/${file}.yaml: there is no section "${name}"${hint || '.'} There are ${names.join(', ')}.`,
  );
}
