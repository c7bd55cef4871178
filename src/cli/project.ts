import { databasePath, findProject, keepOutOfGit, type ProjectPlace } from '../host/project.ts';
import { changedDefinitions } from '../knowledge/sync.ts';
import { appliedStamp, applyDefinitions } from '../queue/apply-definitions.ts';
import { closeQueue, openQueue, type Queue } from '../queue/queue.ts';
import type { CommandContext } from './command.ts';

export type Project = ProjectPlace & { queue: Queue };

/** Opens the project's queue, brings the definitions in first, and closes it whatever happens. */
export function withProject<T>(context: CommandContext, work: (project: Project) => Promise<T>): Promise<T> {
  return withQueue(context, async (project) => {
    await syncDefinitions(project);
    return work(project);
  });
}

/** Without the definitions, for commands that must work while those are wrong. */
export async function withQueue<T>(
  context: CommandContext,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const place = findProject(context.project);
  keepOutOfGit(place);
  const queue = await openQueue(databasePath(place.stateDir), context.now);
  try {
    return await work({ ...place, queue });
  } finally {
    await closeQueue(queue);
  }
}

export async function syncDefinitions({ root, queue }: Project): Promise<void> {
  const changed = await changedDefinitions(root, await appliedStamp(queue, root));
  if (changed !== null)
    await applyDefinitions(queue, changed.definitions, 'sync', { root, stamp: changed.stamp });
}
