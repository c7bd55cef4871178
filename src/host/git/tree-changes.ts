import { type Git, git } from './git.ts';
import { isRalphs } from './raw-path.ts';

/** What is new or changed, with its new content; what is gone has the mode `000000`. */
export type Change = {
  /** One character a byte (raw-path.ts). */
  path: string;
  mode: string;
  hash: string;
  old_mode: string;
  old_hash: string;
};

export const GONE = '000000';
const LINK = '160000';

/** A commit of another repository, which says nothing of the files there. */
export const isRepositoryLink = ({ mode, old_mode }: Change): boolean => mode === LINK || old_mode === LINK;

/** Two trees never change: a session asks several times for the same ones, and each process of git takes time. */
const known = new Map<string, readonly Change[]>();
const MOST_KNOWN = 16;

/** Without Ralph's own files: a person may stage them meanwhile. */
export async function changesBetween(repository: Git, from: string, to: string): Promise<readonly Change[]> {
  if (from === to) return [];
  const key = `${from} ${to}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const { stdout } = await git(repository, ['diff-tree', '-r', '-z', '--no-renames', from, to]);
  const changes = parseChanges(stdout).filter(({ path }) => !isRalphs(path));
  if (known.size === MOST_KNOWN) known.clear();
  known.set(key, changes);
  return changes;
}

/** Git's raw form, with `-z`. */
export function parseChanges(listed: string): Change[] {
  const parts = listed.split('\0').slice(0, -1);
  const found: Change[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [old_mode = '', mode = '', old_hash = '', hash = ''] = (parts[index] ?? '').slice(1).split(' ');
    found.push({ path: parts[index + 1] ?? '', mode, hash, old_mode, old_hash });
  }
  return found;
}

/** As `update-index --index-info` reads it. */
export const entryOf = ({ mode, hash, path }: Pick<Change, 'mode' | 'hash' | 'path'>): string =>
  `${mode} ${hash}\t${path}\0`;
