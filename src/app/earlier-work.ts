// An empty queue beside the traces of sessions was probably lost: to fill it again would pay for its tasks twice.
import { Refusal } from '../domain/refusal.ts';
import { plural } from '../domain/text/text.ts';
import { isQueueUntouched } from '../queue/queue.ts';
import type { Project } from './open-project.ts';
import type { ProjectContext } from './world.ts';

/** Evidence of sessions that the queue does not know. */
export type EarlierWork = { kind: 'journal'; sessions: number } | { kind: 'commit'; commit: string };

/** Null if the queue is in use, was begun on purpose, or no trace of an earlier one exists. */
export async function findEarlierWork(
  { env }: Pick<ProjectContext, 'env'>,
  { root, queue }: Project,
): Promise<EarlierWork | null> {
  if (!(await isQueueUntouched(queue))) return null;
  // Imported late: a queue with tasks never needs these.
  const { countJournal } = await import('../project/journal/journal.ts');
  const sessions = await countJournal(root);
  if (sessions > 0) return { kind: 'journal', sessions };
  const { newestSessionCommit } = await import('../host/commits/task-commit.ts');
  const commit = await newestSessionCommit({ root, env });
  return commit === null ? null : { kind: 'commit', commit };
}

export async function requireNoEarlierWork(
  context: Pick<ProjectContext, 'env'>,
  project: Project,
): Promise<void> {
  const found = await findEarlierWork(context, project);
  if (found !== null) throw new Refusal(`The queue is empty, but ${earlierWorkText(found, project)}`);
}

/** The evidence and the two ways to go on, as the second half of a sentence. */
export function earlierWorkText(found: EarlierWork, { stateDir }: Pick<Project, 'stateDir'>): string {
  const anew = 'start a new queue with: ralph init --new-queue';
  return found.kind === 'journal'
    ? `.ralph/memory records ${plural(found.sessions, 'session')}; bring the tasks back with ralph import .ralph/memory, or ${anew}`
    : `commit ${found.commit.slice(0, 7)} is the work of a session; put a backup of ${stateDir}/ralph.db back, or ${anew}`;
}
