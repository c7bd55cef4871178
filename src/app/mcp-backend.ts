// What the MCP server needs of this project and this machine; opened at the first call.
import { existsSync } from 'node:fs';
import type { GatherInput } from '../context/gather.ts';
import { search } from '../context/search.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { visible } from '../domain/text/text.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { makePrivate } from '../host/private-state.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { databasePath, keepOutOfGit, stateOwner } from '../host/project.ts';
import { copyPath } from '../host/session-folder.ts';
import { readConfig } from '../project/read-config.ts';
import { closeQueue, openQueue } from '../queue/queue.ts';
import type { Backend } from '../server/binding.ts';
import { bringBackClone, requireNoEarlierWork } from './earlier-work.ts';
import { toolEffects } from './effects.ts';
import { withIncludedSecrets } from './included-secrets.ts';
import { openMirror } from './mirror.ts';
import { findPlace, type Project, sync } from './open-project.ts';
import { keptPrompt, writePrompt } from './prompt.ts';
import type { Pipes, ProjectContext } from './world.ts';

/** `planning`: the id of a planning session, which works on its own copy of the queue; null for the queue itself. */
export async function openBackend(
  given: ProjectContext & { pipes: Pick<Pipes, 'log'> },
  planning: string | null,
): Promise<Backend> {
  const context = await withIncludedSecrets(given);
  const place = await findPlace(context);
  keepOutOfGit(place);
  makePrivate(place.stateDir);
  const path =
    planning === null ? databasePath(place.stateDir) : requireCopy(copyPath(place.stateDir, planning));
  const queue = await openQueue(path, context.now, 'mcp', {
    mask: maskSecrets(context.env),
    mayCreate: !context.env['RALPH_SESSION_ID'],
    restoreWithin: planning === null ? stateOwner(place) : null,
  });
  const project: Project = { ...place, queue, mirror: openMirror({ ...place, queue }) };
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  const ready = async (): Promise<void> => {
    await bringBackClone(context, project, tell);
    await requireNoEarlierWork(context, project);
  };
  await ready().catch(async (error) => {
    await closeQueue(queue);
    throw error;
  });
  const { root, stateDir } = place;
  const write = (name: RecipeName, input: GatherInput) => writePrompt(context, project, name, input);
  const secrets = async () => secretMatcher((await readConfig(root)).knowledge.secrets);
  return {
    queue,
    root,
    filesRoot: (context.env['RALPH_SESSION_ID'] && context.env['RALPH_WORK_TREE']) || root,
    isAlive,
    writePrompt: write,
    secrets,
    search: async (query) =>
      search({ store: queue.store, root, stateDir, config: await readConfig(root) }, query),
    effects: toolEffects(context, project, write, secrets),
    storedPrompt: (session_id, recipe) => keptPrompt(stateDir, session_id, recipe),
    sync: async () => {
      refuseIf(await sync(project));
    },
    afterChange: async () => refuseIf((await project.mirror.setEditsAside()).sentence),
  };
}

function requireCopy(path: string): string {
  if (!existsSync(path)) throw new Refusal('This planning session is over; nothing was changed.');
  return path;
}

function refuseIf(problem: string | null): void {
  if (problem !== null) throw new Refusal(problem);
}
