// Merges a file that two parties changed, line by line, so that Ralph can commit the lines of one party alone.
import { rm, writeFile } from 'node:fs/promises';
import { git, gitLine } from './git.ts';
import type { Place } from './own-git.ts';
import { newScratchFile, scratchFolder } from './own-git.ts';
import { type Change, GONE } from './tree-changes.ts';

/** The content of a path. A missing file has the mode `000000`. */
export type Entry = { mode: string; hash: string };

export const oldEntry = ({ old_mode, old_hash }: Change): Entry => ({ mode: old_mode, hash: old_hash });
export const newEntry = ({ mode, hash }: Change): Entry => ({ mode, hash });

export const isSame = (one: Entry, other: Entry): boolean =>
  one.mode === other.mode && one.hash === other.hash;

/** `ours` plus what changed from `base` to `theirs`; null if both changed the same lines, or a file is not text. */
export async function mergeEntry(
  place: Place,
  ours: Entry,
  base: Entry,
  theirs: Entry,
): Promise<Entry | null> {
  if (isSame(ours, base) || isSame(ours, theirs)) return theirs;
  if (isSame(base, theirs)) return ours;
  // A removed file has no lines to merge.
  if (theirs.mode === GONE || ours.mode === GONE) return theirs.mode === GONE ? theirs : null;
  if (![ours, base, theirs].every(isFile)) return null;
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
  if (ours.hash === base.hash) return { mode, hash: theirs.hash };
  if (theirs.hash === base.hash) return { mode, hash: ours.hash };
  const contents = await Promise.all([ours, base, theirs].map(({ hash }) => readBlob(place, hash)));
  if (contents.some((content) => content.includes('\0'))) return null;
  const merged = await mergeTexts(place, contents);
  if (merged === null) return null;
  return { mode, hash: await gitLine(place, ['hash-object', '-w', '--stdin'], { input: merged }) };
}

const isFile = ({ mode }: Entry): boolean => mode === '100644' || mode === '100755';

const readBlob = async (place: Place, hash: string): Promise<string> =>
  (await git(place, ['cat-file', 'blob', hash])).stdout;

/** The exit code of merge-file is the number of conflicts, 127 at most. */
const CONFLICTS = Array.from({ length: 127 }, (_, index) => index + 1);

async function mergeTexts(place: Place, contents: readonly string[]): Promise<string | null> {
  // Scratch files: Ralph removes those of a killed process.
  const files = await Promise.all(contents.map(() => newScratchFile(scratchFolder(place))));
  try {
    await Promise.all(
      files.map((file, index) => writeFile(file, contents[index] ?? '', { encoding: 'latin1', mode: 0o600 })),
    );
    const { code, stdout } = await git(place, ['merge-file', '--stdout', '--quiet', ...files], {
      answers: CONFLICTS,
    });
    return code === 0 ? stdout : null;
  } finally {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  }
}
