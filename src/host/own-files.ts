// Ralph's own files in the project belong to people. Ralph restores files that vanish while an agent works, and notices changes.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';

export type OwnFiles = ReadonlyMap<string, Buffer>;

/** Folders that Ralph itself writes while an agent works. */
const WRITTEN_BY_RALPH = ['state', 'memory'];
const MAX_BYTES = 1024 * 1024;

/** Leaves larger files out. */
export function readOwnFiles(root: string, maxBytes = MAX_BYTES): OwnFiles {
  const found = new Map<string, Buffer>();
  const look = (folder: string): void => {
    for (const name of namesIn(join(root, folder))) {
      const path = `${folder}/${name}`;
      const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
      if (stat?.isDirectory() && !(folder === '.ralph' && WRITTEN_BY_RALPH.includes(name))) look(path);
      if (stat?.isFile() && stat.size <= maxBytes) found.set(path, readFileSync(join(root, path)));
    }
  };
  look('.ralph');
  return found;
}

/** False if the path leads through a link, or if something else is in its place: Ralph must not overwrite it. */
function isFree(root: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  const folders = parents.map((_, index) => join(root, ...parents.slice(0, index + 1)));
  const isFolder = (folder: string): boolean =>
    lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return folders.every(isFolder) && lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined;
}

/** Returns the paths that it put back. */
export async function putBackMissing(root: string, before: OwnFiles): Promise<string[]> {
  const now = readOwnFiles(root);
  const missing = [...before].filter(([path]) => !now.has(path) && isFree(root, path));
  for (const [path, content] of missing) await writeFileWhole(join(root, path), content);
  return missing.map(([path]) => path);
}
