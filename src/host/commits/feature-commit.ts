// One commit for all the work of a feature, named after it, with its entry in PROGRESS.md.

import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { commitMessage, commitSubject } from '../../domain/sessions/commit-message.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type FeatureWork, progressEntry } from '../../domain/tasks/feature.ts';
import { singleLine } from '../../domain/text/text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, gitLine, headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { type Place, treeWith, withEmptyIndex } from '../git/own-git.ts';
import { rawPath } from '../git/raw-path.ts';
import { type Change, changesBetween, formatEntry } from '../git/tree-changes.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, requireNoLinks, writeBase } from '../work/session-base.ts';
import { land } from './land.ts';
import { requireUnmixed, type Step } from './land-entries.ts';
import { requireNoSecrets, type SecretRules } from './scan-secrets.ts';
import type { Signing } from './signing.ts';
import type { Proven } from './task-commit.ts';

const PROGRESS = 'PROGRESS.md';
const PLAIN_FILE = '100644';

export type FeatureCommit = {
  /** The task that completes the feature. */
  task_id: number;
  /** HEAD when its last session began. */
  base_commit: string | null;
  proven: Proven;
  secrets: SecretRules;
  signing: Signing | null;
  onUnsigned(reason: string): void;
  template: string;
  /** Runs the repository's hook on the message. The hook may change it or refuse it. */
  checkMessage(message: string): Promise<string>;
};

export async function commitFeature(
  place: Place,
  feature: FeatureWork,
  { task_id, base_commit, proven, secrets, template, checkMessage, ...signed }: FeatureCommit,
): Promise<Work> {
  const entry = await entryChange(place, proven.tree, progressEntry(feature));
  const steps = await collectSteps(place, feature, proven);
  const made = (await Promise.all(steps.map(({ from, to }) => changesBetween(place, from, to)))).flat();
  const changes = [...made.filter(({ path }) => path !== entry?.path), ...(entry === null ? [] : [entry])];
  requireNoLinks(task_id, changes);
  await requireNoSecrets(place, task_id, changes, secrets);
  const session_id = feature.sessions.at(-1)?.id ?? '';
  const landed = await land(place, {
    session_id,
    base_commit,
    proven_head: proven.head,
    message: await checkMessage(featureMessage(feature, session_id, template)),
    ...signed,
    steps,
    beside: { path: progressPath(place), change: entry },
  });
  await appendEntry(place, progressEntry(feature));
  return { ...NO_WORK, ...landed, tree_hash: proven.tree, covers: feature.tasks.map(({ id }) => id) };
}

/** One step for each session of the feature: changes by others between them are in no step. */
async function collectSteps(place: Place, { sessions }: FeatureWork, proven: Proven): Promise<Step[]> {
  const steps: Step[] = [];
  const last = sessions.at(-1);
  for (const session of sessions) {
    const { id } = session;
    const base = await readBase(place, id);
    const to = session === last ? proven.tree : session.tree_hash;
    if (base === null || to === null) continue;
    // The base of an earlier session was closed with it: later commits by a person are not in its tree.
    const from = session === last ? await withPersonsMoves(place, id, base.tree, proven.head) : base.tree;
    const step = { from, to };
    await requireUnmixed(place, base, step);
    steps.push(step);
  }
  return steps;
}

/** The work waits for the commit of its feature. Adds a person's commits during the session to the base, so the work excludes them. */
export async function closeBase(
  place: Place,
  subject: { session_id: string; task_id: number },
  { head }: Proven,
): Promise<void> {
  const base = await readBase(place, subject.session_id);
  if (base === null) return;
  await holdingOffGc(place, async () => {
    const tree = await withPersonsMoves(place, subject.session_id, base.tree, head);
    if (tree !== base.tree) await writeBase(place, subject, { ...base, tree });
  });
}

/** Null if a person has uncommitted changes in the file, or git ignores it: then no commit holds the entry. */
async function entryChange(place: Place, proven: string, entry: string): Promise<Change | null> {
  const path = progressPath(place);
  const headTree = await treeOfCommit(place, await headCommit(place));
  const isPersons = (await changesBetween(place, headTree, proven)).some((change) => change.path === path);
  if (isPersons || (await isIgnored(place))) return null;
  const text = withEntry(await readProgress(place), entry);
  const hash = await gitLine(place, ['hash-object', '-w', '--stdin'], { input: rawPath(text) });
  const extended = await treeWith(place, headTree, formatEntry({ path, mode: PLAIN_FILE, hash }));
  return (await changesBetween(place, headTree, extended))[0] ?? null;
}

const isIgnored = (place: Place): Promise<boolean> =>
  withEmptyIndex(place, async (own) => {
    const asked = ['check-ignore', '--quiet', '--no-index', '--', join(place.root, PROGRESS)];
    return (await git(own, asked, { answers: [1] })).code === 0;
  });

/** Relative to the top of the repository: the project may be in a folder of it. */
const progressPath = ({ root }: Place): string =>
  rawPath(join(relative(findGit(root)?.worktree ?? root, root), PROGRESS));

const readProgress = ({ root }: Place): Promise<string> =>
  readFile(join(root, PROGRESS), 'utf8').catch(() => '# Progress\n');

/** Adds the entry unless the text has it already. */
const withEntry = (text: string, entry: string): string =>
  text.includes(entry) ? text : `${text.trimEnd()}\n\n${entry}`;

async function appendEntry(place: Place, entry: string): Promise<void> {
  const text = await readProgress(place);
  const extended = withEntry(text, entry);
  if (extended !== text) await writeFileWhole(join(place.root, PROGRESS), extended);
}

const featureMessage = ({ title, name, tasks }: FeatureWork, session_id: string, template: string): string =>
  commitMessage({
    title: commitSubject(template, { title, id: null, feature: name, tags: [] }),
    summary: tasks.map((task) => `- ${singleLine(task.title)}`).join('\n'),
    trailers: [
      ['Ralph-Feature', name],
      ...tasks.map(({ id }) => ['Ralph-Task', String(id)] as const),
      ['Ralph-Session', session_id],
    ],
  });
