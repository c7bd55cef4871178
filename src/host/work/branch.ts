// Tells who moved HEAD during a session. Ralph undoes what the agent did to branch and history, and never touches a person's moves.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, headCommit, isAncestor, withoutFilters } from '../git/git.ts';
import { commitAt, currentBranch, findGit, type GitPlace } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { restoreIndex, unstageSince } from '../git/saved-index.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { sessionDir } from '../session-folder.ts';

/** The value of GIT_REFLOG_ACTION. Git prefixes each reflog entry with it, which tells the agent's moves from a person's. */
export const reflogAction = (session_id: string): string => `ralph-session-${session_id}`;

type SessionStart = {
  /** Null if HEAD was on no branch. */
  branch: string | null;
  /** Not the commit at the claim: a person may have moved the branch since. */
  head: string | null;
  /** The length of HEAD's reflog. */
  reflog_bytes: number;
};

const sessionStartFile = ({ stateDir }: Place, session_id: string): string =>
  join(sessionDir(stateDir, session_id), 'branch.json');

const reflogFile = (gitDir: string): string => join(gitDir, 'logs', 'HEAD');

/** Stored beside the session's prompt, so that a later run can read it. */
export async function recordBranch(place: Place, session_id: string): Promise<void> {
  const found = findGit(place.root);
  if (found === null) return;
  const size = (await stat(reflogFile(found.gitDir)).catch(() => null))?.size ?? 0;
  // Read HEAD after the length of the reflog: a move in between then counts as a move.
  const beginning: SessionStart = {
    branch: currentBranch(found),
    head: await headCommit(place),
    reflog_bytes: size,
  };
  await writeFileWhole(sessionStartFile(place, session_id), JSON.stringify(beginning), {
    mode: PRIVATE_FILE,
  });
}

async function readSessionStart(place: Place, session_id: string): Promise<SessionStart | null> {
  return readRecord(sessionStartFile(place, session_id));
}

/** filter-branch ignores GIT_REFLOG_ACTION. It counts as the agent's: no person rewrites a history under a working agent. */
const REWRITE_PREFIX = 'filter-branch: ';
/** A rename moves nothing, and git does not record who did it. */
const RENAME_PREFIX = 'Branch: renamed ';
/** All of Ralph's own moves start with this. */
const RALPH_PREFIX = 'ralph: ';

export type Move = { from: string; to: string; by: 'agent' | 'person' | 'ralph' };

/** Every move of HEAD since the session began, oldest first. Null without a reflog, or if it was rewritten: then Ralph cannot tell. */
export async function movesSince(place: Place, session_id: string): Promise<Move[] | null> {
  const found = findGit(place.root);
  const beginning = await readSessionStart(place, session_id);
  if (found === null || beginning === null) return null;
  const log = await readFile(reflogFile(found.gitDir)).catch(() => null);
  if (log === null || log.length < beginning.reflog_bytes) return null;
  const lines = log.subarray(beginning.reflog_bytes).toString('utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const [from = '', to = ''] = line.split(' ');
    const message = line.includes('\t') ? line.slice(line.indexOf('\t') + 1) : '';
    // A line that does not start with a hash was cut in two by a rewrite.
    if (!/^[0-9a-f]{40,64}$/.test(from) || message.startsWith(RENAME_PREFIX)) return [];
    // Plumbing writes no message. A person at work uses commands that write one.
    const isAgents =
      message === '' || [reflogAction(session_id), REWRITE_PREFIX].some((word) => message.startsWith(word));
    return [{ from, to, by: isAgents ? 'agent' : message.startsWith(RALPH_PREFIX) ? 'ralph' : 'person' }];
  });
}

/**
 * Undoes the agent's moves of HEAD. Returns in words what it undid; null if HEAD is where it should be, or a person moved it.
 * Undoes the agent's commits unless it may commit: they may hold a person's files. Ralph commits the proven work instead.
 */
export async function undoAgentsMoves(
  place: Place,
  { id }: Pick<Session, 'id'>,
  { mayCommit }: { mayCommit: boolean },
): Promise<string | null> {
  const base = (await readSessionStart(place, id))?.head ?? null;
  const moves = await movesSince(place, id);
  // A person's commits may be among the moves: Ralph leaves their history alone.
  if (moves === null || moves.some(({ by }) => by !== 'agent')) return null;
  const left = await backToBranch(place, id);
  const head = await headCommit(place);
  if (head === base) return left;
  const isOnTop = head !== null && (base === null || (await isAncestor(place, base, head)));
  if (isOnTop && (mayCommit || moves.length === 0)) return left;
  // The index first: after a kill in between HEAD is still moved, and the next Ralph does both again.
  const isRestored = head !== null && (await restoreIndex(place, id, head));
  // The files stay: what the agent undid in them is its work, and is judged.
  const why = 'ralph: back to the history of the session';
  // Move only from `head`: a commit that a person makes at this moment must not be undone.
  if (base === null) await git(place, ['update-ref', '-m', why, '-d', 'HEAD', head ?? '']);
  else await git(place, ['update-ref', '-m', why, 'HEAD', base, head ?? '']);
  if (!isRestored)
    await git(await withoutFilters(place), base === null ? ['read-tree', '--empty'] : ['read-tree', 'HEAD']);
  const short = head?.slice(0, 7) ?? 'none';
  return isOnTop ? `made commits of its own (${short})` : `replaced the history (${short})`;
}

/** Unstages what the agent staged and did not commit. Call it right after the session: later staging is a person's. */
export async function unstageAgentsWork(place: Place, { id }: Pick<Session, 'id'>): Promise<void> {
  const beginning = await readSessionStart(place, id);
  const found = findGit(place.root);
  // Another branch has a different index.
  if (beginning === null || found === null || currentBranch(found) !== beginning.branch) return;
  await unstageSince(place, id);
}

/** Returns in words what it undid; null if HEAD is still on its branch. */
async function backToBranch(place: Place, session_id: string): Promise<string | null> {
  const branch = (await readSessionStart(place, session_id))?.branch ?? null;
  const found = findGit(place.root);
  if (branch === null || found === null) return null;
  const now = currentBranch(found);
  // The branch was renamed or deleted: HEAD on a branch that does not exist would cut off the history.
  if (now === branch || commitAt(found, branch) === null) return null;
  const before = await headCommit(place);
  await git(place, ['symbolic-ref', '-m', 'ralph: back to the branch of the session', 'HEAD', branch]);
  // The index belonged to the other branch; the files stay as the agent left them.
  if ((await headCommit(place)) !== before) await git(await withoutFilters(place), ['read-tree', 'HEAD']);
  return `left the branch for ${shortName(now)}`;
}

type OwnBranch = { session_id: string; task_id: number };

/** If Ralph cannot tell who replaced the history, a commit on top would bury what was there. */
async function requireKnownHistory(
  place: Place,
  { session_id, task_id }: OwnBranch,
  base: string | null,
): Promise<void> {
  const head = await headCommit(place);
  if (base === null || head === base || (await movesSince(place, session_id)) !== null) return;
  if (head !== null && (await isAncestor(place, base, head))) return;
  throw new NeedsPerson(
    `The history was replaced while task ${task_id} was at work (it was at ${base.slice(0, 7)}), and the reflog does not tell by whom. Look at git log; then answer this question to try the task again.`,
  );
}

/** A commit belongs on the branch that the session began on. If a person switched to another, only they can decide. */
export async function requireOwnBranch(place: Place, { session_id, task_id }: OwnBranch): Promise<void> {
  const beginning = await readSessionStart(place, session_id);
  const found = findGit(place.root);
  if (beginning === null || found === null) return;
  await requireKnownHistory(place, { session_id, task_id }, beginning.head);
  const now = currentBranch(found);
  // A branch that is gone was renamed: its work lands on the current branch.
  if (now === beginning.branch || isGone(found, beginning.branch)) return;
  throw new NeedsPerson(
    `The work tree went from ${shortName(beginning.branch)} to ${shortName(now)} while task ${task_id} was at work, so Ralph committed nothing. Go back with git switch, which carries the changes along; then answer this question to try the task again.`,
  );
}

const isGone = (found: GitPlace, branch: string | null): boolean =>
  branch !== null && commitAt(found, branch) === null;

const shortName = (branch: string | null): string => branch?.replace('refs/heads/', '') ?? 'no branch';
