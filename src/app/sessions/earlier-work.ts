// An empty queue beside the traces of sessions was probably lost: to fill it again would pay for its tasks twice.
import { Refusal } from '../../domain/refusal.ts';
import { plural } from '../../domain/text/text.ts';
import { isQueueUntouched } from '../../queue/queue.ts';
import type { Project } from '../open-project.ts';
import type { ProjectContext } from '../world.ts';

/** Evidence of sessions that the queue does not know. */
export type EarlierWork = { kind: 'journal'; sessions: number } | { kind: 'commit'; commit: string };

/** Null if the queue is in use, was begun on purpose, or no trace of an earlier one exists. */
export async function findEarlierWork(
  { env }: Pick<ProjectContext, 'env'>,
  { root, queue }: Project,
): Promise<EarlierWork | null> {
  if (!(await isQueueUntouched(queue))) return null;
  // Imported late: a queue with tasks never needs these.
  const { countJournal } = await import('../../project/journal/journal.ts');
  const sessions = await countJournal(root);
  if (sessions > 0) return { kind: 'journal', sessions };
  const { newestSessionCommit } = await import('../../host/commits/newest-session-commit.ts');
  const commit = await newestSessionCommit({ root, env });
  return commit === null ? null : { kind: 'commit', commit };
}

/** A larger journal would hold up the first command for long, so a person decides about it. */
const MAX_BROUGHT_BACK_BYTES = 8 * 1024 * 1024;

/**
 * In a clone, fills the empty queue from the definition files and the journal, and tells so in one line; true if it did. Only
 * with a journal that is exactly as it was committed: then people decided about it. An agent or a lost queue left others.
 */
export async function bringBackClone(
  { env }: Pick<ProjectContext, 'env'>,
  { root, queue }: Project,
  tell: (sentence: string) => void,
): Promise<boolean> {
  if (env['RALPH_SESSION_ID'] || !(await isQueueUntouched(queue))) return false;
  // Imported late: a queue with tasks never needs these.
  const { JOURNAL_FOLDER, journalFiles, readJournal } = await import('../../project/journal/journal.ts');
  const files = await journalFiles(root);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length === 0 || bytes > MAX_BROUGHT_BACK_BYTES) return false;
  const { isAsCommitted } = await import('../../host/git/as-committed.ts');
  const paths = files.map(({ path }) => path);
  if (!(await isAsCommitted({ root, env }, JOURNAL_FOLDER, paths))) return false;
  const { changedDefinitions } = await import('../../project/definitions/definition-files.ts');
  const { rebuildClone } = await import('../../queue/journal/rebuild.ts');
  const journal = await readJournal(root);
  const changed = await changedDefinitions(root, null);
  if (journal.entries.length === 0 || changed === null) return false;
  const { definitions, stamp } = changed;
  const applied_from = { root, stamp };
  const rebuilt = await rebuildClone(queue, { definitions, applied_from, lines: journal.entries });
  if (rebuilt === null) return false;
  const left = journal.problems.length + rebuilt.problems.length;
  tell(
    `Brought back from the committed journal in ${JOURNAL_FOLDER}: ${plural(rebuilt.done, 'done task')}, ${plural(rebuilt.learnings, 'learning')}.${left === 0 ? '' : ` ${plural(left, 'line')} of it could not be read in full; ralph import ${JOURNAL_FOLDER} says why.`}`,
  );
  return true;
}

export async function requireNoEarlierWork(
  context: Pick<ProjectContext, 'env'>,
  project: Project,
): Promise<void> {
  const found = await findEarlierWork(context, project);
  if (found !== null) throw new Refusal(`The queue is empty, but ${earlierWorkText(found, project)}`);
}

/** The evidence and the two ways to go on, as the second half of a sentence. */
export function earlierWorkText(earlier: EarlierWork, { stateDir }: Pick<Project, 'stateDir'>): string {
  const anew = 'start a new queue with: ralph init --new-queue';
  return earlier.kind === 'journal'
    ? `.ralph/memory records ${plural(earlier.sessions, 'session')}; bring the tasks back with ralph import .ralph/memory, or ${anew}`
    : `commit ${earlier.commit.slice(0, 7)} is the work of a session; put a backup of ${stateDir}/ralph.db back, or ${anew}`;
}
