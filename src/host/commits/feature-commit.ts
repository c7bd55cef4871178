// One commit for all the work of a feature, named after it, with its entry in the progress file; or for that entry alone.
import { commitMessage, commitSubject } from '../../domain/sessions/commit-message.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type FeatureWork, progressEntry } from '../../domain/tasks/feature.ts';
import { singleLine } from '../../domain/text/text.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { takeTree } from '../git/work-tree.ts';
import { requireOwnBranch } from '../work/branch.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, requireNoLinks, writeBase } from '../work/session-base.ts';
import { land } from './land.ts';
import { requireUnmixed, type Step } from './land-entries.ts';
import { appendEntry, entryChange, progressPath } from './progress-file.ts';
import { requireNoSecrets, type SecretRules } from './scan-secrets.ts';
import { readSigning, type Signing } from './signing.ts';
import type { Proven } from './task-commit.ts';

export type FeatureCommit = {
  /** The task that completes the feature. */
  task_id: number;
  proven: Proven;
  /** The tree of the work tree now. */
  current: string;
  progress_file: string | null;
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
  {
    task_id,
    proven,
    current,
    secrets,
    template,
    checkMessage,
    progress_file: file,
    ...signed
  }: FeatureCommit,
): Promise<Work> {
  const progress = file === null ? null : { file, text: progressEntry(feature) };
  const entry = progress === null ? null : await entryChange(place, progress, current);
  const steps = await collectSteps(place, feature, proven);
  const made = (await Promise.all(steps.map(({ from, to }) => changesBetween(place, from, to)))).flat();
  const changes = [...made.filter(({ path }) => path !== entry?.path), ...(entry === null ? [] : [entry])];
  requireNoLinks(task_id, changes);
  await requireNoSecrets(place, task_id, changes, secrets);
  const { id: session_id, base_commit } = feature.last;
  const isWork = feature.sessions.length > 0;
  const landed = await land(place, {
    session_id,
    base_commit,
    proven_head: proven.head,
    ...(!isWork && { trailer: `Ralph-Progress: ${session_id}` }),
    message: await checkMessage(isWork ? featureMessage(feature, template) : entryMessage(feature, template)),
    ...signed,
    steps,
    ...(progress !== null && { beside: { path: progressPath(place, progress.file), change: entry } }),
  });
  // An entry without a commit would look like a person's change to an agent that commits.
  if (progress !== null && (isWork || landed.commit !== null)) await appendEntry(place, progress);
  return { ...NO_WORK, ...landed, tree_hash: proven.tree, covers: feature.tasks.map(({ id }) => id) };
}

/** For a feature that no session finishes now: a person skipped its last task, or each task had a commit of its own. */
export async function commitFinished(
  place: Place,
  feature: FeatureWork,
  input: Omit<FeatureCommit, 'task_id' | 'proven' | 'current' | 'signing'>,
): Promise<Work> {
  const last = feature.sessions.at(-1) ?? null;
  const taken = last === null && input.progress_file === null ? null : await takeTree(place);
  if (taken === null) return NO_WORK;
  const task_id = feature.tasks.at(-1)?.id ?? 0;
  if (last !== null) await requireOwnBranch(place, { session_id: last.id, task_id });
  const base = last === null ? null : await readBase(place, last.id);
  return commitFeature(place, feature, {
    ...input,
    task_id,
    proven: { tree: last?.tree_hash ?? taken.tree, head: base?.head ?? taken.head ?? null },
    current: taken.tree,
    signing: await readSigning(place),
  });
}

/** One step for each session of the feature: changes by others between them are in no step. */
async function collectSteps(place: Place, { sessions }: FeatureWork, proven: Proven): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { id, tree_hash } of sessions) {
    const base = await readBase(place, id);
    if (base === null) continue;
    // The base of an earlier session was closed with it: later commits by a person are not in its tree.
    const from = tree_hash === null ? await withPersonsMoves(place, id, base.tree, proven.head) : base.tree;
    const step = { from, to: tree_hash ?? proven.tree };
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

const featureMessage = ({ title, name, tasks, last }: FeatureWork, template: string): string =>
  commitMessage({
    title: commitSubject(template, { title, id: null, feature: name, tags: [] }),
    summary: tasks.map((task) => `- ${singleLine(task.title)}`).join('\n'),
    trailers: [
      ['Ralph-Feature', name],
      ...tasks.map(({ id }) => ['Ralph-Task', String(id)] as const),
      ['Ralph-Session', last.id],
    ],
  });

const entryMessage = ({ title, name, tasks, last }: FeatureWork, template: string): string =>
  commitMessage({
    title: commitSubject(template, {
      title: `Record the progress of ${title}`,
      id: null,
      feature: name,
      tags: ['docs'],
    }),
    summary: tasks.map((task) => `- ${singleLine(task.title)}`).join('\n'),
    trailers: [
      ['Ralph-Feature', name],
      ['Ralph-Progress', last.id],
    ],
  });
