import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { findFiles } from '../files/find-files.ts';

/** The Markdown files among these files and folders of the project. */
export async function findSpecs(root: string, places: readonly string[]): Promise<string[]> {
  const found = (await Promise.all(places.map((place) => findFiles(root, place)))).flat();
  const withheld = found.find((one) => one.kind === 'withheld');
  if (withheld !== undefined)
    throw new Refusal(`Ralph cannot plan from ${withheld.path}: ${withheld.reason}.`);
  const specs = found.filter(({ kind, path }) => kind === 'file' && /\.(md|markdown)$/i.test(path));
  if (specs.length === 0)
    throw new Refusal(
      `There is no Markdown file at ${places.join(', ') || 'any folder'}; write a specification there, or name another file or folder: ralph plan docs/specs`,
    );
  return [...new Set(specs.map(({ path }) => path))].sort();
}

/** Changes when a file changes or disappears. */
export async function hashFiles(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const bytes = await readFile(join(root, path)).catch(() => null);
    hash.update(`${path}\0${bytes === null ? 'gone' : createHash('sha256').update(bytes).digest('hex')}\0`);
  }
  return hash.digest('hex');
}
