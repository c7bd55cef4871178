import { type Git, git } from './git.ts';
import { readLooseObjects } from './loose-objects.ts';
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
  const all = compareLooseTrees(repository, from, to) ?? (await diffTree(repository, from, to));
  const changes = all.filter(({ path }) => !isRalphs(path));
  if (changesCache.size === MAX_CACHED) changesCache.clear();
  changesCache.set(key, changes);
  return changes;
}

const diffTree = async (repository: Git, from: string, to: string): Promise<Change[]> =>
  parseChanges((await git(repository, ['diff-tree', '-r', '-z', '--no-renames', from, to])).stdout);

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

type Entry = { mode: string; hash: string };
type Tree = ReadonlyMap<string, Entry>;

const FOLDER = '40000';
const FILES: readonly string[] = ['100644', '100755', '120000', '160000'];
const MAX_TREES = 64;

/** By the files of the trees, in the order of git. Null if git has to compare them (loose-objects.ts). */
export function compareLooseTrees(repository: Git, from: string, to: string): Change[] | null {
  const changes: Change[] = [];
  const gone = { mode: GONE, hash: '0'.repeat(to.length) };
  let left = MAX_TREES;
  const read = (hash: string | null): Tree | null => {
    if (hash === null) return new Map();
    const content = left-- > 0 ? readLooseObjects(repository, 'tree', [hash])?.get(hash) : undefined;
    return content === undefined ? null : parseTree(content, to.length / 2);
  };
  const compare = (before: string | null, after: string | null, folder: string): boolean => {
    const [old, now] = [read(before), read(after)];
    if (old === null || now === null) return false;
    return [...new Set([...old.keys(), ...now.keys()])].every((name) => {
      const [was, is] = [old.get(name) ?? gone, now.get(name) ?? gone];
      if (was.mode === is.mode && was.hash === is.hash) return true;
      const path = `${folder}${name}`;
      const [file, oldFile] = [is.mode === FOLDER ? gone : is, was.mode === FOLDER ? gone : was];
      if (file !== oldFile) changes.push({ path, ...file, old_mode: oldFile.mode, old_hash: oldFile.hash });
      if (was.mode !== FOLDER && is.mode !== FOLDER) return true;
      return compare(was.mode === FOLDER ? was.hash : null, is.mode === FOLDER ? is.hash : null, `${path}/`);
    });
  };
  return compare(from, to, '') ? changes.sort((one, other) => (one.path < other.path ? -1 : 1)) : null;
}

/** Each entry is its mode, a space, its name, a zero byte, and its hash as bytes. Null if one is not of the usual kind. */
function parseTree(content: Buffer, hashBytes: number): Tree | null {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < content.length; ) {
    const [space, end] = [content.indexOf(0x20, at), content.indexOf(0, at)];
    const mode = content.toString('latin1', at, space);
    if (mode !== FOLDER && !FILES.includes(mode)) return null;
    // Damaged: without this, the loop might never end.
    if (space < 0 || end < space || end + hashBytes >= content.length) return null;
    const hash = content.toString('hex', end + 1, end + 1 + hashBytes);
    entries.set(content.toString('latin1', space + 1, end), { mode, hash });
    at = end + 1 + hashBytes;
  }
  return entries;
}
