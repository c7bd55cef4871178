// One commit for all the work of a feature, named after it, with its entry in PROGRESS.md.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type FeatureWork, progressEntry } from '../domain/feature-work.ts';
import type { Work } from '../domain/gate.ts';
import { folded } from '../domain/text.ts';
import { gitText, headCommit, withoutFilters } from './git.ts';
import { findGit } from './git-place.ts';
import { changesBetween, commitOf, commitWork, type Span, withIndex } from './git-work.ts';
import { scratchOf } from './scratch.ts';
import { baseOf, currentTree, type Place } from './session-work.ts';
import { writeFileWhole } from './write-file.ts';

const PROGRESS = 'PROGRESS.md';

export type FeatureCommit = {
  /** Where HEAD was when its last session began. */
  base_commit: string | null;
  /** The tree that the gates saw; null where there was none. */
  proven: string | null;
};

export async function commitFeature(
  place: Place,
  feature: FeatureWork,
  { base_commit, proven: judged }: FeatureCommit,
): Promise<Work> {
  const last = feature.sessions.at(-1)?.id ?? '';
  // Before the entry is written: the trees of the work are those without it.
  const proven = judged ?? (await currentTree(place));
  const isCommitted = (await commitOf(place, { session_id: last, base_commit })) !== null;
  if (!isCommitted) await appendEntry(place, progressEntry(feature));
  const isPersons = await isChanged(place, proven);
  const work = await commitWork(place, scratchOf(place), {
    session_id: last,
    base_commit,
    proven: proven === null ? null : await withEntry(place, proven),
    message: messageOf(feature, last),
    spansUpTo: async (tree) => [
      ...(await spansOf(place, feature, proven)),
      ...(proven === null || isPersons ? [] : [{ from: proven, to: tree }]),
    ],
  });
  const covers = feature.tasks.map(({ id }) => id);
  return { ...work, tree_hash: proven, covers };
}

/** The proven tree with PROGRESS.md as it is now, where that is not ignored, and nothing else that came into the work tree since. */
async function withEntry(place: Place, proven: string): Promise<string | null> {
  return withIndex(await withoutFilters(place), scratchOf(place), async (indexed) => {
    await gitText(indexed, ['read-tree', proven]);
    await gitText(indexed, ['add', '--', PROGRESS]);
    return (await gitText(indexed, ['write-tree']))?.trim() || null;
  });
}

/** A person has written into it and not committed that: the entry waits with their lines. */
async function isChanged(place: Place, proven: string | null): Promise<boolean> {
  const head = await headCommit(place);
  if (head === null || proven === null) return false;
  return (await changesBetween(place, `${head}^{tree}`, proven)).some(
    ({ path }) => path === progressPath(place),
  );
}

/** What each session changed. */
async function spansOf(place: Place, { sessions }: FeatureWork, proven: string | null): Promise<Span[]> {
  const spans: Span[] = [];
  for (const { id, tree_hash } of sessions) {
    const [from, to] = [await baseOf(place, id), tree_hash ?? proven];
    if (from !== null && to !== null) spans.push({ from, to });
  }
  return spans;
}

/** As git names it: from the top of the repository, where the project may be below. */
const progressPath = ({ root }: Place): string =>
  join(relative(findGit(root)?.worktree ?? root, root), PROGRESS);

/** Once, also when somebody died between the entry and the commit. */
async function appendEntry({ root }: Place, entry: string): Promise<void> {
  const path = join(root, PROGRESS);
  const text = await readFile(path, 'utf8').catch(() => '# Progress\n');
  if (text.includes(entry)) return;
  await writeFileWhole(path, `${text.trimEnd()}\n\n${entry}`);
}

const messageOf = ({ title, name, tasks }: FeatureWork, session_id: string): string =>
  [
    folded(title),
    '',
    ...tasks.map((task) => `- ${folded(task.title)}`),
    '',
    `Ralph-Feature: ${name}`,
    ...tasks.map(({ id }) => `Ralph-Task: ${id}`),
    `Ralph-Session: ${session_id}`,
    '',
  ].join('\n');
