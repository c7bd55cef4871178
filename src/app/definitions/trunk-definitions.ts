// Definitions of a queue that several machines share: they come from the trunk alone, and only move forward. Otherwise machines at
// different commits would undo each other's definitions.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { NotPermitted } from '../../domain/refusal.ts';
import { git, hasObject, isAncestor } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { newScratchFile, type Place, scratchFolder } from '../../host/git/own-git.ts';
import { pathText } from '../../host/git/raw-path.ts';
import { objectReader } from '../../host/git/read-objects.ts';
import { findTrunk, readRef } from '../../host/landing/trunk.ts';
import { configuredRemote } from '../../host/remote/remote.ts';
import { changedDefinitions } from '../../project/definitions/definition-files.ts';
import { appliedCommit, applyCommitted } from '../../queue/definitions/apply-committed.ts';
import type { Queue } from '../../queue/queue.ts';

/** Those whose role may only read: asked once, because the dashboard asks every few seconds. */
const readOnlyQueues = new WeakSet<Queue>();

/**
 * Applies what the trunk has, as this repository knows it. `isAsked`: a person wants what it has now, even after it was rewritten.
 * Returns the commit whose definitions hold now; null without git or a commit.
 */
export async function applyTrunkDefinitions(
  place: Place,
  queue: Queue,
  land: Config['land'],
  { isAsked = false }: { isAsked?: boolean } = {},
): Promise<string | null> {
  const before = await appliedCommit(queue);
  if (!isAsked && readOnlyQueues.has(queue)) return before;
  if (findGit(place.root) === null) return before;
  const trunk = findTrunk(place, land.branch, configuredRemote(land));
  const tip = await readRef(place, trunk.remote === null ? trunk.branchRef : trunk.ref);
  if (tip === null || tip === before) return before;
  if (!isAsked && before !== null && !(await isForward(place, before, tip))) return before;
  const changed = await withCommittedFiles(place, tip, (root) => changedDefinitions(root, null));
  try {
    return await applyCommitted(queue, { definitions: changed?.definitions ?? null, before, commit: tip });
  } catch (error) {
    // A reader sees the queue as it is; a machine that may write applies them.
    if (isAsked || !(error instanceof NotPermitted)) throw error;
    readOnlyQueues.add(queue);
    return before;
  }
}

/** A machine that does not know the commit yet is behind it. */
const isForward = async (place: Place, older: string, newer: string): Promise<boolean> =>
  (await hasObject(place, older)) && (await isAncestor(place, older, newer));

// The definition files of a commit, as files that can be read like those of a checkout.

const FILE = '100';

/** Puts what the commit has below `.ralph` of the project into a folder of its own while `work` runs. Links are left out. */
async function withCommittedFiles<T>(
  place: Place,
  commit: string,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const below = relative(findGit(place.root)?.worktree ?? place.root, place.root)
    .split(sep)
    .join('/');
  const prefix = below === '' ? '' : `${below}/`;
  const { stdout } = await git(place, [
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    commit,
    '--',
    `${prefix}.ralph/`,
  ]);
  const files = stdout
    .split('\0')
    .slice(0, -1)
    .flatMap((entry) => {
      const [facts = '', path = ''] = entry.split('\t');
      const [mode = '', , hash = ''] = facts.split(' ');
      const name = pathText(path).slice(prefix.length);
      return mode.startsWith(FILE) && /\.ya?ml$/.test(name) ? [{ name, hash }] : [];
    });
  const read = await objectReader(
    place,
    files.map(({ hash }) => hash),
  );
  const folder = await newScratchFile(scratchFolder(place));
  try {
    await mkdir(join(folder, '.ralph'), { recursive: true });
    for (const { name, hash } of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), await read(hash));
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
