// The commit of one task.

import { relative } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import { commitMessage, commitSubject } from '../../domain/sessions/commit-message.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type Git, git, headCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, requireNoLinks } from '../work/session-base.ts';
import { land } from './land.ts';
import { requireUnmixed } from './land-entries.ts';
import { requireNoSecrets, type SecretRules } from './scan-secrets.ts';
import type { Signing } from './signing.ts';

export type Proven = {
  /** The tree that the gates saw. */
  tree: string;
  /** HEAD at that moment. */
  head: string | null;
};

export type TaskCommit = {
  session_id: string;
  base_commit: string | null;
  task_id: number;
  message: string;
  proven: Proven;
  secrets: SecretRules;
  signing: Signing | null;
  onUnsigned(reason: string): void;
};

export type MessageInput = {
  session_id: string;
  task: { id: number; title: string; feature: string | null; tags?: readonly string[] };
  summary: string;
  template: string;
};

export const taskMessage = ({ session_id, task, summary, template }: MessageInput): string =>
  commitMessage({
    title: commitSubject(template, { ...task, tags: task.tags ?? [] }),
    summary,
    trailers: [
      ['Ralph-Task', String(task.id)],
      ['Ralph-Session', session_id],
    ],
  });

/** Commits nothing without the session's base: the changes could be a person's. */
export async function commitSession(place: Place, input: TaskCommit): Promise<Work> {
  const { session_id, base_commit, task_id, message, proven, secrets, signing, onUnsigned } = input;
  const base = await readBase(place, session_id);
  if (base === null)
    throw new NeedsPerson(
      `Ralph has lost its record of the work tree before task ${task_id} began, so it cannot tell the task's changes from yours. Commit what belongs to the task yourself; then answer this question to try the task again.`,
    );
  const from = await withPersonsMoves(place, session_id, base.tree, proven.head);
  const changes = await changesBetween(place, from, proven.tree);
  await requireUnmixed(place, base, { from, to: proven.tree });
  requireNoLinks(task_id, changes);
  await requireNoSecrets(place, task_id, changes, secrets);
  const landed = await land(place, {
    session_id,
    base_commit,
    proven_head: proven.head,
    message,
    signing,
    onUnsigned,
    steps: [{ from, to: proven.tree }],
  });
  return { ...NO_WORK, ...landed, tree_hash: proven.tree };
}

/** A project that Ralph works on has a session commit among these; a longer history is not read to its end. */
const MAX_COMMITS_BACK = 1_000;

/** The newest commit of this project that one of Ralph's sessions made, or null. */
export async function newestSessionCommit(repository: Git): Promise<string | null> {
  const place = findGit(repository.root);
  if (place === null || (await headCommit(repository)) === null) return null;
  const format = '--format=%H %(trailers:key=Ralph-Session,valueonly,separator=%x20)';
  // Other projects in the same repository have their own sessions.
  const below = relative(place.worktree, repository.root) === '' ? [] : ['--', '.'];
  const { stdout } = await git(repository, ['log', `--max-count=${MAX_COMMITS_BACK}`, format, ...below]);
  const found = stdout.split('\n').find((line) => /^[0-9a-f]{40,64} \S/.test(line));
  return found?.split(' ')[0] ?? null;
}
