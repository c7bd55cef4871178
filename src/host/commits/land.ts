// Puts a session's work on the branch as one commit: HEAD plus the proven changes, and nothing else of the work tree.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NeedsPerson } from '../../domain/refusal.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import {
  GitFailed,
  git,
  gitLine,
  hasObject,
  headCommit,
  isAncestor,
  rememberTree,
  treeOfCommit,
  withoutFilters,
} from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { ownFolder, type Place, treeWith, withEmptyIndex } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, formatEntry } from '../git/tree-changes.ts';
import { diffStat } from '../landing/land-commit.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { withIdentity } from './identity.ts';
import { entriesForIndex, entriesOnto, type Step } from './land-entries.ts';
import { commitTree, type Signing } from './signing.ts';

export type Landing = {
  /** The session of the commit. A session has one commit, however often `land` is called. */
  session_id: string;
  /** Identifies the commit in place of the session's own trailer. */
  trailer?: string;
  /** HEAD when the session began: a commit of the session can only be newer. */
  base_commit: string | null;
  /** HEAD when the gates judged. */
  proven_head: string | null;
  message: string;
  /** How to sign the commit; unsigned if absent. */
  signing?: Signing | null;
  /** Called if the commit should have been signed and was not. */
  onUnsigned?(reason: string): void;
  /** The steps of the work in order, each from the tree before it to the proven tree. */
  steps: readonly Step[];
  /** What Ralph itself writes beside the work; it does not identify the session's commit. */
  beside?: { path: string; change: Change | null };
};

type LandingChanges = Landing & { changes: readonly Change[] };

/** A person who commits again and again while Ralph tries is rare; one who does so five times is a loop. */
const MAX_TRIES = 5;

/** Makes the commit with the session's work, or finds it if it was made before. None if it would be empty. */
export async function land(place: Place, input: Landing): Promise<Pick<Work, 'commit' | 'diff_stat'>> {
  const steps = await Promise.all(input.steps.map(({ from, to }) => changesBetween(place, from, to)));
  const beside = input.beside?.change ?? null;
  const landing = { ...input, changes: [...steps.flat(), ...(beside === null ? [] : [beside])] };
  const known = await findLanded(place, landing);
  if (known !== null) await updateIndexFor(place, known);
  const commit = known ?? (landing.changes.length === 0 ? null : await commitOnTop(place, landing));
  if (commit === null) return { commit: null, diff_stat: NO_WORK.diff_stat };
  // The commit has landed: no later failure may undo that.
  return { commit, diff_stat: await diffStat(place, commit).catch(() => null) };
}

/** Null if HEAD holds all of the work already. */
async function commitOnTop(place: Place, landing: LandingChanges): Promise<string | null> {
  const [named] = await Promise.all([withIdentity(place), requireUnfiltered(place, landing.changes)]);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const head = await headCommit(place);
    await requireUnmoved(place, landing, head);
    const before = await treeOfCommit(place, head);
    const landed = await holdingOffGc(place, async () => {
      const tree = await treeToCommit(place, before, landing, head === null);
      if (tree === before) return { commit: null };
      const parents = head === null ? [] : ['-p', head];
      const { message, signing = null, onUnsigned = () => {} } = landing;
      const commit = await commitTree(named, { args: [tree, ...parents], message }, signing, onUnsigned);
      rememberTree(commit, tree);
      await writeFileWhole(pendingIndexFile(place), commit, { mode: PRIVATE_FILE, isDurable: false });
      return (await moveHead(place, head, commit)) ? { commit } : null;
    });
    if (landed === null) continue;
    if (landed.commit !== null) await updateIndexFor(place, landed.commit, before).catch(ignoreGitFailure);
    return landed.commit;
  }
  throw new GitFailed(
    'The branch moved each time Ralph tried to commit; wait until no one else commits here.',
  );
}

async function treeToCommit(
  place: Place,
  onto: string,
  { steps, beside }: Pick<Landing, 'steps' | 'beside'>,
  isFirst: boolean,
): Promise<string> {
  const [only] = steps;
  const own = beside?.change ?? null;
  // A work tree that was clean at the start is proven as a whole.
  if (own === null && steps.length === 1 && only?.from === onto) return only.to;
  const entries = await entriesOnto(place, isFirst ? null : onto, steps);
  return treeWith(place, onto, own === null ? entries : entries + formatEntry(own));
}

/** The next session or the end of the run updates the index. */
function ignoreGitFailure(error: unknown): void {
  if (!(error instanceof GitFailed)) throw error;
}

/** False if the branch has moved meanwhile. A killed git may have moved HEAD before it failed, so HEAD decides. */
async function moveHead(place: Place, from: string | null, to: string): Promise<boolean> {
  try {
    await git(place, ['update-ref', '-m', 'ralph: commit a proven task', 'HEAD', to, from ?? '']);
    return true;
  } catch (error) {
    const now = await headCommit(place);
    if (now === to) return true;
    if (now === from) throw error;
    return false;
  }
}

/** A path that others have committed since the gates ran is not proven any more: a commit over it would undo theirs. */
async function requireUnmoved(
  place: Place,
  { proven_head, changes }: LandingChanges,
  head: string | null,
): Promise<void> {
  if (head === proven_head || head === null) return;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const moved = await changesBetween(
    place,
    await treeOfCommit(place, proven_head),
    await treeOfCommit(place, head),
  );
  const clash = moved.find(({ path, hash }) =>
    byPath.has(path)
      ? byPath.get(path)?.hash !== hash
      : changes.some((change) => isNested(change.path, path)),
  );
  if (clash !== undefined)
    throw new GitFailed(`${pathText(clash.path)} was committed by someone else while the gates ran.`);
}

/** One path is a file where the other has a folder: writing one removes the other. */
const isNested = (one: string, other: string): boolean =>
  one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/** Files that git stores encrypted or elsewhere must not be committed as plain content. */
async function requireUnfiltered(place: Place, changes: readonly Change[]): Promise<void> {
  const input = changes.map(({ path }) => `${path}\0`).join('');
  const asked = ['check-attr', '-z', '--stdin', 'filter'];
  // Check both the attributes of the tree and those of the repository: an agent could override the former with the latter.
  const answers = await Promise.all([
    git(place, asked, { input }),
    withEmptyIndex(place, (own) => git(own, asked, { input })),
  ]);
  const words = answers.flatMap(({ stdout }) => stdout.split('\0').slice(0, -1));
  for (let index = 0; index + 2 < words.length; index += 3) {
    const [path = '', , filter = ''] = words.slice(index, index + 3);
    if (filter !== 'unspecified' && filter !== 'unset')
      throw new NeedsPerson(
        `${pathText(path)} is stored through the filter "${filter}" (as LFS and git-crypt do), and Ralph runs no filter. Commit it yourself; then answer this question to try the task again.`,
      );
  }
}

/** The commit that a session made before its supervisor was killed. The trailer alone proves nothing: it must hold the proven work. */
async function findLanded(
  place: Place,
  { session_id, trailer = `Ralph-Session: ${session_id}`, base_commit, steps, beside }: LandingChanges,
): Promise<string | null> {
  const head = await headCommit(place);
  if (head === null || head === base_commit) return null;
  const isKnown = base_commit !== null && (await hasObject(place, base_commit));
  // Read the whole history only if the base is gone: it may be long, and this runs for every task.
  const range = isKnown ? `${base_commit}..${head}` : head;
  const found = await git(place, ['log', '--format=%H %P', '--fixed-strings', `--grep=${trailer}`, range]);
  for (const line of found.stdout.split('\n').slice(0, -1)) {
    const [commit = '', parent] = line.split(' ');
    const before = await treeOfCommit(place, parent ?? null);
    const expected = await treeToCommit(place, before, { steps }, parent === undefined).catch(unmergeable);
    if (expected === null) continue;
    const differing = await changesBetween(place, expected, await treeOfCommit(place, commit));
    if (differing.every(({ path }) => path === beside?.path)) return commit;
  }
  return null;
}

/** Work that cannot be merged onto a commit's parent is not in that commit. */
function unmergeable(error: unknown): null {
  if (error instanceof NeedsPerson) return null;
  throw error;
}

/** Names the last commit while the index lacks it. */
const pendingIndexFile = (place: Place): string => join(ownFolder(place), 'untold-commit');

const INDEX_TRIES = 20;
const INDEX_PAUSE_MS = 50;

/**
 * The work tree holds the commit already; the index must as well, or git shows changes. If another git holds the lock for too
 * long, the next session updates the index.
 */
async function updateIndex(place: Place, entries: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      if (entries !== '')
        await git(await withoutFilters(place), ['update-index', '-z', '--index-info'], { input: entries });
      break;
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      if (tries === INDEX_TRIES) return;
      await pause(INDEX_PAUSE_MS);
    }
  }
  await rm(pendingIndexFile(place), { force: true });
}

/** For a last commit whose supervisor was killed, or met a locked index, before it updated the index. */
export async function updateIndexForLastCommit(place: Place): Promise<void> {
  const commit = await readFile(pendingIndexFile(place), 'utf8').catch(() => null);
  if (commit === null) return;
  const head = await headCommit(place);
  const isThere =
    head !== null && (await hasObject(place, commit)) && (await isAncestor(place, commit, head));
  if (isThere) await updateIndexFor(place, commit);
  else await rm(pendingIndexFile(place), { force: true });
}

async function updateIndexFor(place: Place, commit: string, known?: string): Promise<void> {
  const before = known ?? (await treeOfCommit(place, await firstParent(place, commit)));
  await updateIndex(place, await entriesForIndex(place, before, await treeOfCommit(place, commit)));
}

const firstParent = async (place: Place, commit: string): Promise<string | null> =>
  (await gitLine(place, ['log', '-1', '--format=%P', commit])).split(' ').filter(Boolean)[0] ?? null;
