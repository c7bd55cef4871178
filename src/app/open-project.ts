import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '../domain/event.ts';
import { maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { visible } from '../domain/text/text.ts';
import { findHeld } from '../host/definitions/accepted.ts';
import { makePrivate } from '../host/private-state.ts';
import { findProject, hasQueue, keepOutOfGit, type ProjectPlace, stateOwner } from '../host/project.ts';
import { isSummaryFresh, storeSummary } from '../host/status-line.ts';
import { changedDefinitions, definitionFiles, stampFiles } from '../project/definitions/definition-files.ts';
import { readConfig } from '../project/read-config.ts';
import { isShared } from '../queue/definitions/apply-committed.ts';
import { appliedStamp, applyFiles } from '../queue/definitions/apply-definitions.ts';
import { closeQueue, openQueue, type Queue } from '../queue/queue.ts';
import { summarise } from '../queue/tasks/summary.ts';
import { databasePlace } from './database-address.ts';
import { isOfSession } from './definitions/consent.ts';
import { applyTrunkDefinitions } from './definitions/trunk-definitions.ts';
import { type Mirror, NO_MIRROR, openMirror } from './mirror.ts';
import { requireOwnQueue } from './require-own-queue.ts';
import { bringBackClone, findEarlierWork, requireNoEarlierWork } from './sessions/earlier-work.ts';
import type { CommandContext, ProjectContext } from './world.ts';

export type Project = ProjectPlace & { queue: Queue; mirror: Mirror; env: ProjectContext['env'] };

/** Opens the project's queue, applies the definition files first, and always closes it. */
export const withProject = <T>(context: CommandContext, work: (project: Project) => Promise<T>): Promise<T> =>
  within(context, async (project) => {
    await sync(project);
    return work(project);
  });

/** Without the definition files, for commands that must work while those are wrong. */
export const withQueue = <T>(
  context: CommandContext,
  work: (project: Project) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> => within(context, work, options);

/** For a command that works on the queue while it runs: it restores a database that is removed meanwhile. */
export const withWorkerQueue = <T>(
  context: CommandContext,
  work: (project: Project) => Promise<T>,
): Promise<T> => within(context, work, { isWorker: true });

/** For the commands that repair a lost queue; all others refuse to fill it. */
export const withLostQueue = <T>(
  context: CommandContext,
  work: (project: Project) => Promise<T>,
): Promise<T> => within(context, work, { mayBeLost: true });

type OpenOptions = {
  channel?: Channel;
  /** Applies not even files that a person has changed. */
  isReadOnly?: boolean;
  isWorker?: boolean;
  mayBeLost?: boolean;
};

async function within<T>(
  context: CommandContext,
  work: (project: Project) => Promise<T>,
  { channel: door = 'cli', isReadOnly = false, isWorker = false, mayBeLost = false }: OpenOptions = {},
): Promise<T> {
  const place = await findPlace(context);
  keepOutOfGit(place);
  makePrivate(place.stateDir);
  const queue = await openQueue(databasePlace(context, place.stateDir), context.now, door, {
    mask: maskSecrets(context.env),
    mayCreate: !context.env['RALPH_SESSION_ID'],
    restoreWithin: isWorker ? stateOwner(place) : null,
  });
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  // A command that an agent runs must not apply files that the agent wrote.
  const hasMirror = !isReadOnly && !isOfSession(context, place.root);
  const mirror = hasMirror ? openMirror({ ...place, queue }, tell) : NO_MIRROR;
  const project = { ...place, queue, mirror, env: context.env };
  try {
    await requireOwnQueue(project);
    if (!mayBeLost && !isReadOnly) await bringBackClone(context, project, tell);
    if (!mayBeLost) await requireNoEarlierWork(context, project);
    return await work(project);
  } finally {
    await writeMirror(context, project)
      .then(() => refreshSummary(project))
      .finally(() => closeQueue(queue));
  }
}

/** Shows in the mirror what the command has changed. Not beside a lost queue: there the mirror is what is left of it. */
async function writeMirror(context: CommandContext, project: Project): Promise<void> {
  if ((await findEarlierWork(context, project)) === null) await project.mirror.sync();
}

/** Applies what people wrote: the definition files, then the mirror. Returns what is wrong with the mirror; null if nothing. */
export async function sync(project: Project): Promise<string | null> {
  await syncDefinitions(project);
  return (await project.mirror.sync()).sentence;
}

/** The definition files alone. */
export async function syncDefinitions({
  root,
  stateDir,
  queue,
  env,
}: Pick<Project, 'root' | 'stateDir' | 'queue' | 'env'>): Promise<void> {
  if (isShared(queue)) {
    const { land } = await readConfig(root);
    await applyTrunkDefinitions({ root, stateDir, env }, queue, land);
    return;
  }
  const stamp = await appliedStamp(queue, root);
  const files = definitionFiles(root);
  if (stampFiles(root, files) === stamp) return;
  // Changed while agents were at work: what was applied before stays until a person approves the change.
  if ((await findHeld({ root, stateDir })).some(({ path }) => files.includes(path))) return;
  const changed = await changedDefinitions(root, stamp);
  if (changed !== null)
    await applyFiles(queue, {
      definitions: changed.definitions,
      applied_from: { root, stamp: changed.stamp },
    });
}

/** A run checks its database once a second, and restores one that its session removed. */
const RESTORE_TIMEOUT_MS = 5_000;
const POLL_MS = 25;

/** A process of a session waits for a database that is being restored, and never creates one. */
export async function findPlace({ project, env }: Omit<ProjectContext, 'now'>): Promise<ProjectPlace> {
  const deadline = performance.now() + RESTORE_TIMEOUT_MS;
  while (env['RALPH_SESSION_ID'] && !hasDatabase(project) && performance.now() < deadline)
    await pause(POLL_MS);
  return findProject(project);
}

function hasDatabase(project: string): boolean {
  try {
    return hasQueue(findProject(project).stateDir);
  } catch {
    // While git creates a repository, findProject does not recognise it for a moment.
    return false;
  }
}

// Keeps the counts of a shared queue for the status line of a client, which has no time to ask the database.

/** A failure is no matter: the line only gets older. */
export async function refreshSummary({ queue, stateDir }: { queue: Queue; stateDir: string }): Promise<void> {
  if (!queue.store.isShared || isSummaryFresh(stateDir, Date.now())) return;
  await summarise(queue)
    .then((summary) => storeSummary(stateDir, summary, Date.now()))
    .catch(() => {});
}
