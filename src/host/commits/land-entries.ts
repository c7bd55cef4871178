// Which entries a commit changes. In a file with a person's uncommitted changes it takes only the task's lines.
import { NeedsPerson } from '../../domain/refusal.ts';
import { git } from '../git/git.ts';
import { type Entry, mergeEntry, newEntry, oldEntry } from '../git/merge-entry.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, formatEntry, GONE, parseChanges } from '../git/tree-changes.ts';
import type { SessionBase } from '../work/session-base.ts';

/** Work, as the trees before and after it. */
export type Step = { from: string; to: string };

/** In the format of `update-index --index-info`. `onto` is null before the first commit: then a changed file is committed whole. */
export async function entriesOnto(
  place: Place,
  onto: string | null,
  steps: readonly Step[],
): Promise<string> {
  const entries = new Map<string, Entry>();
  for (const { from, to } of steps) {
    const open = new Map(
      onto === null
        ? []
        : (await changesBetween(place, onto, from)).map((change) => [change.path, oldEntry(change)]),
    );
    for (const change of await changesBetween(place, from, to)) {
      const { path } = change;
      const there = entries.get(path) ?? open.get(path) ?? oldEntry(change);
      const entry = await mergeEntry(place, there, oldEntry(change), newEntry(change));
      if (entry === null) throw sameLines(path);
      entries.set(path, entry);
    }
  }
  return [...entries].map(([path, entry]) => formatEntry({ path, ...entry })).join('');
}

/** Refuses work on a path in which a person changed the same lines while no agent worked on the task. */
export async function requireUnmixed(
  place: Place,
  { mixed = [] }: Pick<SessionBase, 'mixed'>,
  { from, to }: Step,
): Promise<void> {
  if (mixed.length === 0) return;
  const found = (await changesBetween(place, from, to)).find(({ path }) => mixed.includes(path));
  if (found !== undefined) throw sameLines(found.path);
}

const sameLines = (path: string): NeedsPerson =>
  new NeedsPerson(
    `The task changed ${pathText(path)} where you have changes that are not committed, and Ralph cannot tell the two apart. Commit ${pathText(path)} as it should be; then answer this question to try the task again.`,
  );

/** The entries of a commit that the person's index lacks. Staged changes stay staged, even in a file that the commit changed. */
export async function entriesForIndex(place: Place, before: string, after: string): Promise<string> {
  const listed = await git(place, ['diff-index', '--cached', '-z', '--no-renames', before]);
  const staged = new Map(parseChanges(listed.stdout).map((change) => [change.path, change]));
  const entries: string[] = [];
  for (const change of await changesBetween(place, before, after)) {
    const { path } = change;
    const entry = await indexEntry(place, change, staged.get(path));
    if (entry !== null) entries.push(formatEntry({ path, ...entry }));
  }
  return entries.join('');
}

async function indexEntry(place: Place, change: Change, staged: Change | undefined): Promise<Entry | null> {
  if (staged === undefined) return newEntry(change);
  // Removed, in conflict, or announced without content.
  if (/^0+$/.test(staged.hash)) return null;
  const merged = await mergeEntry(place, newEntry(staged), oldEntry(change), newEntry(change));
  // The agent may have staged a file that the task made, in a session that was killed.
  return merged ?? (change.old_mode === GONE ? newEntry(change) : null);
}
