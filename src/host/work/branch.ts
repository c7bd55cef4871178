// Who moved HEAD while a session worked. What the agent did to branch and history is undone; what a person did is never touched.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, headCommit, isAncestor, withoutFilters } from '../git/git.ts';
import { branchOf, commitAt, findGit, type GitPlace } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { restoreIndex, unstageSince } from '../git/saved-index.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { sessionDir } from '../project.ts';

/** Git writes it into the reflog in front of what each of its commands did to HEAD, so that the agent's are told from a person's. */
export const reflogAction = (session_id: string): string => `ralph-session-${session_id}`;

type Beginning = {
  /** Null where HEAD was on no branch. */
  branch: string | null;
  /** Not the commit that the task was claimed at: a person may have moved the branch between the two. */
  head: string | null;
  /** How long the reflog of HEAD was. */
  reflog_bytes: number;
};

const beginningFile = ({ stateDir }: Place, session_id: string): string =>
  join(sessionDir(stateDir, session_id), 'branch.json');

const reflogFile = (gitDir: string): string => join(gitDir, 'logs', 'HEAD');

/** Kept beside the session's prompt, so that a later run knows it too. */
export async function keepBranch(place: Place, session_id: string): Promise<void> {
  const found = findGit(place.root);
  if (found === null) return;
  const size = (await stat(reflogFile(found.gitDir)).catch(() => null))?.size ?? 0;
  // After the length of the reflog: what moves HEAD in between is then among the moves.
  const beginning: Beginning = { branch: branchOf(found), head: await headCommit(place), reflog_bytes: size };
  await writeFileWhole(beginningFile(place, session_id), JSON.stringify(beginning), { mode: PRIVATE_FILE });
}

async function readBeginning(place: Place, session_id: string): Promise<Beginning | null> {
  return readRecord(beginningFile(place, session_id));
}

/** Says so of itself whoever runs it; nobody rewrites a history under an agent that works on it. */
const REWRITTEN = 'filter-branch: ';
/** Moves nothing, and git does not say who did it. */
const RENAMED = 'Branch: renamed ';
/** Every move of Ralph's own says so. */
const RALPHS = 'ralph: ';

export type Move = { from: string; to: string; by: 'agent' | 'person' | 'ralph' };

/** Every move of HEAD since the session began, oldest first. Null where there is no reflog or it was rewritten: then Ralph cannot tell. */
export async function movesSince(place: Place, session_id: string): Promise<Move[] | null> {
  const found = findGit(place.root);
  const beginning = await readBeginning(place, session_id);
  if (found === null || beginning === null) return null;
  const log = await readFile(reflogFile(found.gitDir)).catch(() => null);
  if (log === null || log.length < beginning.reflog_bytes) return null;
  const lines = log.subarray(beginning.reflog_bytes).toString('utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const [from = '', to = ''] = line.split(' ');
    const message = line.includes('\t') ? line.slice(line.indexOf('\t') + 1) : '';
    // A line that does not begin with two hashes was cut in two by a rewrite.
    if (!/^[0-9a-f]{40,64}$/.test(from) || message.startsWith(RENAMED)) return [];
    // Plumbing says nothing of itself; a person at work uses commands that do.
    const isAgents =
      message === '' || [reflogAction(session_id), REWRITTEN].some((word) => message.startsWith(word));
    return [{ from, to, by: isAgents ? 'agent' : message.startsWith(RALPHS) ? 'ralph' : 'person' }];
  });
}

/**
 * What of the agent's was undone, in words; null where HEAD is where it should be, or where a person moved it. Commits of the agent's are undone
 * where they are not its to make: it commits what lies there, a person's files as well. Ralph commits the proven work instead.
 */
export async function undoAgentsMoves(
  place: Place,
  { id }: Pick<Session, 'id'>,
  { mayCommit }: { mayCommit: boolean },
): Promise<string | null> {
  const base = (await readBeginning(place, id))?.head ?? null;
  const moves = await movesSince(place, id);
  // A person's commits may be among what the agent would be blamed for: their history is left alone.
  if (moves === null || moves.some(({ by }) => by !== 'agent')) return null;
  const left = await backToBranch(place, id);
  const head = await headCommit(place);
  if (head === base) return left;
  const isOnTop = head !== null && (base === null || (await isAncestor(place, base, head)));
  if (isOnTop && (mayCommit || moves.length === 0)) return left;
  // The index first: whoever dies in between is found with HEAD still moved, and it is done again.
  const isRestored = head !== null && (await restoreIndex(place, id, head));
  // What it undid in the files is its work, and judged; what was committed before stays committed.
  const why = 'ralph: back to the history of the session';
  // Only from where it was looked at: what a person commits at this moment must not be undone.
  if (base === null) await git(place, ['update-ref', '-m', why, '-d', 'HEAD', head ?? '']);
  else await git(place, ['update-ref', '-m', why, 'HEAD', base, head ?? '']);
  if (!isRestored)
    await git(await withoutFilters(place), base === null ? ['read-tree', '--empty'] : ['read-tree', 'HEAD']);
  const short = head?.slice(0, 7) ?? 'none';
  return isOnTop ? `made commits of its own (${short})` : `replaced the history (${short})`;
}

/** What the agent has staged and not committed. Only when its session has just ended: what is staged later is a person's. */
export async function unstageAgentsWork(place: Place, { id }: Pick<Session, 'id'>): Promise<void> {
  const beginning = await readBeginning(place, id);
  const found = findGit(place.root);
  // On another branch the index is another one, too.
  if (beginning === null || found === null || branchOf(found) !== beginning.branch) return;
  await unstageSince(place, id);
}

/** What was undone, in words; null where HEAD is on the branch it was on. */
async function backToBranch(place: Place, session_id: string): Promise<string | null> {
  const branch = (await readBeginning(place, session_id))?.branch ?? null;
  const found = findGit(place.root);
  if (branch === null || found === null) return null;
  const now = branchOf(found);
  // Renamed or deleted: there is nothing to go back to, and HEAD on it would cut the history off.
  if (now === branch || commitAt(found, branch) === null) return null;
  const before = await headCommit(place);
  await git(place, ['symbolic-ref', '-m', 'ralph: back to the branch of the session', 'HEAD', branch]);
  // The index was the other branch's; the files stay as the agent left them.
  if ((await headCommit(place)) !== before) await git(await withoutFilters(place), ['read-tree', 'HEAD']);
  return `left the branch for ${shortName(now)}`;
}

type OwnBranch = { session_id: string; task_id: number };

/** Where the history was replaced and Ralph cannot tell by whom, a commit on top would bury what was there. */
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

/** A commit belongs on the branch that the session began on; where a person has gone to another, only they can decide. */
export async function requireOwnBranch(place: Place, { session_id, task_id }: OwnBranch): Promise<void> {
  const beginning = await readBeginning(place, session_id);
  const found = findGit(place.root);
  if (beginning === null || found === null) return;
  await requireKnownHistory(place, { session_id, task_id }, beginning.head);
  const now = branchOf(found);
  // One that is gone was renamed, and its work lands where it is now.
  if (now === beginning.branch || isGone(found, beginning.branch)) return;
  throw new NeedsPerson(
    `The work tree went from ${shortName(beginning.branch)} to ${shortName(now)} while task ${task_id} was at work, so Ralph committed nothing. Go back with git switch, which carries the changes along; then answer this question to try the task again.`,
  );
}

const isGone = (found: GitPlace, branch: string | null): boolean =>
  branch !== null && commitAt(found, branch) === null;

const shortName = (branch: string | null): string => branch?.replace('refs/heads/', '') ?? 'no branch';
