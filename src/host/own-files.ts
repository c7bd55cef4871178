// Ralph's own files in the project belong to people. What vanishes while an agent works is put back; what changes is noticed.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';

export type OwnFiles = ReadonlyMap<string, Buffer>;

/** Written by Ralph itself while an agent works. */
const RUNNING = ['state', 'memory'];
const MAX_BYTES = 1024 * 1024;

export function readOwnFiles(root: string): OwnFiles {
  const found = new Map<string, Buffer>();
  const look = (folder: string): void => {
    for (const name of namesIn(join(root, folder))) {
      const path = `${folder}/${name}`;
      const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
      if (stat?.isDirectory() && !(folder === '.ralph' && RUNNING.includes(name))) look(path);
      if (stat?.isFile() && stat.size <= MAX_BYTES) found.set(path, readFileSync(join(root, path)));
    }
  };
  look('.ralph');
  return found;
}

/** Nothing is written through a link that somebody laid, or in the place of something else. */
function isFree(root: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  const folders = parents.map((_, index) => join(root, ...parents.slice(0, index + 1)));
  const isFolder = (folder: string): boolean =>
    lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return folders.every(isFolder) && lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined;
}

/** Answers with the paths that were put back. */
export async function putBackMissing(root: string, before: OwnFiles): Promise<string[]> {
  const now = readOwnFiles(root);
  const missing = [...before].filter(([path]) => !now.has(path) && isFree(root, path));
  for (const [path, content] of missing) await writeFileWhole(join(root, path), content);
  return missing.map(([path]) => path);
}
