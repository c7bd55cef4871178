// The file in which each finished feature gets an entry (PROGRESS.md, unless the configuration names another).
import { lstat, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, gitLine, headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { type Place, treeWith, withEmptyIndex } from '../git/own-git.ts';
import { rawPath } from '../git/raw-path.ts';
import { type Change, changesBetween, formatEntry } from '../git/tree-changes.ts';

const PLAIN_FILE = '100644';

export type ProgressEntry = { file: string; text: string };

/**
 * Null if a person has uncommitted changes in the file, git ignores it, or it is a link: then no commit holds the entry.
 * `current`: the tree of the work tree.
 */
export async function entryChange(
  place: Place,
  { file, text: entry }: ProgressEntry,
  current: string,
): Promise<Change | null> {
  const path = progressPath(place, file);
  const headTree = await treeOfCommit(place, await headCommit(place));
  const isPersons = (await changesBetween(place, headTree, current)).some((change) => change.path === path);
  const text = await readProgress(place, file);
  if (text === null || isPersons || (await isIgnored(place, file))) return null;
  const input = Buffer.from(withEntry(text, entry));
  const hash = await gitLine(place, ['hash-object', '-w', '--stdin'], { input });
  const extended = await treeWith(place, headTree, formatEntry({ path, mode: PLAIN_FILE, hash }));
  return (await changesBetween(place, headTree, extended))[0] ?? null;
}

/** Relative to the top of the repository: the project may be in a folder of it. */
export const progressPath = ({ root }: Place, file: string): string =>
  rawPath(join(relative(findGit(root)?.worktree ?? root, root), file));

export async function appendEntry(place: Place, { file, text: entry }: ProgressEntry): Promise<void> {
  const text = await readProgress(place, file);
  if (text === null) return;
  const extended = withEntry(text, entry);
  if (extended !== text) await writeFileWhole(join(place.root, file), extended);
}

const isIgnored = (place: Place, file: string): Promise<boolean> =>
  withEmptyIndex(place, async (own) => {
    const asked = ['check-ignore', '--quiet', '--no-index', '--', join(place.root, file)];
    return (await git(own, asked, { answers: [1] })).code === 0;
  });

/** Null for a link or anything else that is no file: its content may lie outside the project. */
async function readProgress({ root }: Place, file: string): Promise<string | null> {
  const found = await lstat(join(root, file)).catch(() => null);
  if (found === null) return '# Progress\n';
  return found.isFile() ? readFile(join(root, file), 'utf8') : null;
}

/** Adds the entry unless the text has it already. */
const withEntry = (text: string, entry: string): string =>
  text.includes(entry) ? text : `${text.trimEnd()}\n\n${entry}`;
