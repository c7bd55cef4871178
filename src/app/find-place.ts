import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { databasePath, findProject, type ProjectPlace } from '../host/project.ts';
import type { ProjectContext } from './world.ts';

/** A run looks for its database once a second, and puts back what its session removed. */
const RESTORED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 25;

/** Where the project and its state are. A process of a session waits for a database that is being put back: it makes no new one. */
export async function findPlace({ project, env }: Omit<ProjectContext, 'now'>): Promise<ProjectPlace> {
  const deadline = performance.now() + RESTORED_WITHIN_MS;
  while (env['RALPH_SESSION_ID'] && !hasDatabase(project) && performance.now() < deadline)
    await pause(LOOK_EVERY_MS);
  return findProject(project);
}

function hasDatabase(project: string): boolean {
  try {
    return existsSync(databasePath(findProject(project).stateDir));
  } catch {
    // A repository that is being made is none for a moment.
    return false;
  }
}
