import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Definitions } from '../../domain/definition.ts';
import { fileStamp, requireOwnFile } from '../../files/own-file.ts';
import { requireAgents } from '../require-agents.ts';

const FILE_NAMES = ['metadata.yaml', 'disciplines.yaml', 'features.yaml', 'tasks.yaml', 'learnings.yaml'];

/** `.ralph/*.yaml` by name, then the files of the older `.ralph/db/`. Paths are relative to the project, in a fixed order. */
export function definitionFiles(root: string): string[] {
  const older = join('.ralph', 'db');
  const names = existsSync(join(root, older)) ? yamlFilesIn(join(root, older)) : [];
  return [...FILE_NAMES.map((name) => join('.ralph', name)), ...names.map((name) => join(older, name))];
}

/** Changes whenever a file does. Without it every command would read ten thousand tasks to find nothing new. */
export function stampFiles(root: string, files: readonly string[]): string {
  const stamps = files.flatMap((file) => {
    const stamp = fileStamp(join(root, file));
    return stamp === null ? [] : [`${file} ${stamp}`];
  });
  return stamps.join('\n');
}

/** The files that `ralph export` writes and that the folder already has. */
export const exportedFilesIn = (folder: string): string[] =>
  FILE_NAMES.filter((name) => existsSync(join(folder, name)));

const yamlFilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();

/** YAML in `.ralph/` that Ralph does not read: most often a mistyped name. */
export function unreadFiles(root: string): string[] {
  const knownNames = new Set([...FILE_NAMES, 'config.yaml']);
  return yamlFilesIn(join(root, '.ralph')).filter((name) => !knownNames.has(name));
}

export const DEFINITION_NAMES: readonly string[] = [...FILE_NAMES, 'config.yaml'];

/** The definitions in the project's files, or null if no file has changed since `lastStamp`. */
export async function changedDefinitions(
  root: string,
  lastStamp: string | null,
): Promise<{ definitions: Definitions; stamp: string } | null> {
  const files = definitionFiles(root);
  const stamp = stampFiles(root, files);
  if (stamp === lastStamp) return null;
  for (const file of files) requireOwnFile(root, file);
  // Imported late: most commands find no change and never need a YAML parser.
  const { readDefinitions } = await import('./read-definitions.ts');
  const definitions = await readDefinitions(root, files);
  await requireDefinedAgents(root, definitions);
  return { definitions, stamp };
}

/** Names the line of an agent that does not exist. */
export async function requireDefinedAgents(
  root: string,
  { disciplines, tasks }: Pick<Definitions, 'disciplines' | 'tasks'>,
): Promise<void> {
  const named = [...disciplines, ...tasks].filter(({ fields }) => fields.agent);
  for (const { at, fields } of named) await requireAgents(root, [fields.agent], `${at}: `);
}
