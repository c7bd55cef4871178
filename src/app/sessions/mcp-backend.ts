// What the MCP server needs of this project and this machine.
import type { GatherInput } from '../../context/gather.ts';
import { search } from '../../context/search.ts';
import type { RecipeName } from '../../domain/context.ts';
import { Refusal } from '../../domain/refusal.ts';
import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { visible } from '../../domain/text/text.ts';
import { secretMatcher } from '../../files/secret-files.ts';
import { acceptedFiles } from '../../host/definitions/accepted.ts';
import { makePrivate } from '../../host/private-state.ts';
import { isAlive } from '../../host/processes/process-identity.ts';
import { findProject, keepOutOfGit, stateOwner } from '../../host/project.ts';
import { closeQueue, openQueue } from '../../queue/queue.ts';
import type { Backend } from '../../server/binding.ts';
import { databasePlace, withAddress } from '../database-address.ts';
import { readAcceptedConfig } from '../definitions/read-accepted-config.ts';
import { toolEffects } from '../effects.ts';
import { openMirror } from '../mirror.ts';
import { type Project, sync } from '../open-project.ts';
import { requireOwnQueue } from '../require-own-queue.ts';
import type { Pipes, ProjectContext } from '../world.ts';
import { bringBackClone, requireNoEarlierWork } from './earlier-work.ts';
import { withIncludedSecrets } from './included-secrets.ts';
import { keptPrompt, writePrompt } from './prompt.ts';

/** For an interactive client, with a connection to the database of its own. */
export async function openBackend(given: ProjectContext & { pipes: Pick<Pipes, 'log'> }): Promise<Backend> {
  const context = await withIncludedSecrets(await withAddress(given));
  const place = findProject(context.project);
  keepOutOfGit(place);
  makePrivate(place.stateDir);
  const queue = await openQueue(databasePlace(context, place.stateDir), context.now, 'mcp', {
    mask: maskSecrets(context.env),
    restoreWithin: stateOwner(place),
  });
  const mirror = openMirror({ ...place, queue });
  const project: Project = { ...place, queue, mirror, env: context.env };
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  const ready = async (): Promise<void> => {
    await requireOwnQueue(project);
    await bringBackClone(context, project, tell);
    await requireNoEarlierWork(context, project);
  };
  await ready().catch(async (error) => {
    await closeQueue(queue);
    throw error;
  });
  return {
    ...createBackend(context, project, place.root),
    sync: async () => {
      refuseIf(await sync(project));
    },
    afterChange: async () => refuseIf((await project.mirror.setEditsAside()).sentence),
  };
}

/** `filesRoot`: where the client works. Definition files are not applied: a session works with what its supervisor read. */
export function createBackend(context: ProjectContext, project: Project, filesRoot: string): Backend {
  const { root, stateDir, queue } = project;
  const write = (name: RecipeName, input: GatherInput) => writePrompt(context, project, name, input);
  const secrets = async () => secretMatcher((await readAcceptedConfig(project)).knowledge.secrets);
  return {
    queue,
    root,
    filesRoot,
    accepted: () => acceptedFiles(project),
    isAlive,
    writePrompt: write,
    secrets,
    search: async (query) =>
      search(
        {
          store: queue.store,
          root,
          stateDir,
          accepted: await acceptedFiles(project),
          config: await readAcceptedConfig(project),
        },
        query,
      ),
    effects: toolEffects(context, project, write, secrets),
    storedPrompt: (session_id, recipe) => keptPrompt(project, session_id, recipe),
    sync: async () => {},
    afterChange: async () => {},
  };
}

function refuseIf(problem: string | null): void {
  if (problem !== null) throw new Refusal(problem);
}
