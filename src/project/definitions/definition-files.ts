// Synchronous on purpose: this runs before every command, and a handful of stats is over before a thread would start.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Definitions } from '../../domain/definition.ts';
import { requireOwnFile } from '../../files/own-file.ts';

const FILE_NAMES = ['metadata.yaml', 'disciplines.yaml', 'features.yaml', 'tasks.yaml', 'learnings.yaml'];

/** `.ralph/*.yaml` by name, then whatever the older `.ralph/db/` holds. Relative to the project, in a fixed order. */
export function definitionFiles(root: string): string[] {
  const older = join('.ralph', 'db');
  const names = existsSync(join(root, older)) ? yamlFilesIn(join(root, older)) : [];
  return [...FILE_NAMES.map((name) => join('.ralph', name)), ...names.map((name) => join(older, name))];
}

/** Changes whenever a file does: reading ten thousand tasks to find nothing new would cost every command. */
export function stampFiles(root: string, files: readonly string[]): string {
  const stamps = files.flatMap((file) => {
    const found = statSync(join(root, file), { bigint: true, throwIfNoEntry: false });
    return found === undefined
      ? []
      : [`${file} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`];
  });
  return stamps.join('\n');
}

/** Those files that `ralph export` writes, as far as the folder has them. */
export const exportedFilesIn = (folder: string): string[] =>
  FILE_NAMES.filter((name) => existsSync(join(folder, name)));

const yamlFilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();

/** YAML in `.ralph/` that nothing reads: most often a name that was mistyped. */
export function unreadFiles(root: string): string[] {
  const known = new Set([...FILE_NAMES, 'config.yaml']);
  return yamlFilesIn(join(root, '.ralph')).filter((name) => !known.has(name));
}

export const DEFINITION_NAMES: readonly string[] = [...FILE_NAMES, 'config.yaml'];

/** What the project's files say, or null where they have not changed since the stamp was taken. */
export async function changedDefinitions(
  root: string,
  lastStamp: string | null,
): Promise<{ definitions: Definitions; stamp: string } | null> {
  const files = definitionFiles(root);
  const stamp = stampFiles(root, files);
  if (stamp === lastStamp) return null;
  for (const file of files) requireOwnFile(root, file);
  // Imported late: most commands find nothing new and never need a YAML parser.
  const { readDefinitions } = await import('./read-definitions.ts');
  return { definitions: await readDefinitions(root, files), stamp };
}
