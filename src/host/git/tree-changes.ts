import { type Git, git } from './git.ts';
import { isRalphs } from './raw-path.ts';

/** A new or changed file with its new content; a removed one has the mode `000000`. */
export type Change = {
  /** One character per byte (raw-path.ts). */
  path: string;
  mode: string;
  hash: string;
  old_mode: string;
  old_hash: string;
};

export const GONE = '000000';
const LINK = '160000';

/** A link to a commit of another repository, without its files. */
export const isRepositoryLink = ({ mode, old_mode }: Change): boolean => mode === LINK || old_mode === LINK;

/** Trees never change. A session compares the same ones several times, and each git process takes time. */
const changesCache = new Map<string, readonly Change[]>();
const MAX_CACHED = 16;

/** Excludes Ralph's own files: a person may stage them meanwhile. */
export async function changesBetween(repository: Git, from: string, to: string): Promise<readonly Change[]> {
  if (from === to) return [];
  const key = `${from} ${to}`;
  const found = changesCache.get(key);
  if (found !== undefined) return found;
  const { stdout } = await git(repository, ['diff-tree', '-r', '-z', '--no-renames', from, to]);
  const changes = parseChanges(stdout).filter(({ path }) => !isRalphs(path));
  if (changesCache.size === MAX_CACHED) changesCache.clear();
  changesCache.set(key, changes);
  return changes;
}

/** Parses git's raw format with `-z`. */
export function parseChanges(listed: string): Change[] {
  const parts = listed.split('\0').slice(0, -1);
  const found: Change[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [old_mode = '', mode = '', old_hash = '', hash = ''] = (parts[index] ?? '').slice(1).split(' ');
    found.push({ path: parts[index + 1] ?? '', mode, hash, old_mode, old_hash });
  }
  return found;
}

/** In the format of `update-index --index-info`. */
export const formatEntry = ({ mode, hash, path }: Pick<Change, 'mode' | 'hash' | 'path'>): string =>
  `${mode} ${hash}\t${path}\0`;
