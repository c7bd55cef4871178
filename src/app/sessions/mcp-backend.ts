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
import { identify, isAlive } from '../../host/processes/process-identity.ts';
import { findProject, keepOutOfGit, stateOwner } from '../../host/project.ts';
import { sessionDir, writePromptFiles } from '../../host/session-folder.ts';
import { recordGivenLearnings } from '../../queue/learnings/learnings.ts';
import { closeQueue, openQueue } from '../../queue/queue.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import type { Backend } from '../../server/binding.ts';
import type { ToolEffects } from '../../tools/tool.ts';
import { databasePlace, withAddress } from '../database-address.ts';
import { readAcceptedConfig } from '../definitions/trust.ts';
import { openMirror } from '../mirror.ts';
import { type Project, sync } from '../open-project.ts';
import { requireOwnQueue } from '../require-own-queue.ts';
import type { Pipes, ProjectContext } from '../world.ts';
import { bringBackClone, requireNoEarlierWork } from './earlier-work.ts';
import { withIncludedSecrets } from './included-secrets.ts';
import { keptPrompt, writePrompt } from './prompt.ts';
import { slotPlace, slotsFolder } from './slots.ts';

/** For an interactive client, with a connection to the database of its own. */
export async function openBackend(
  callerContext: ProjectContext & { pipes: Pick<Pipes, 'log'> },
): Promise<Backend> {
  const context = await withIncludedSecrets(await withAddress(callerContext));
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

// What a tool does to this machine besides the queue: where sessions work, and what is written about them.

/** Imports late what only a client that takes tasks needs: every session of an agent starts a server. */
function toolEffects(
  context: ProjectContext,
  project: Project,
  write: ToolEffects['writePrompt'],
  secrets: ToolEffects['secrets'],
): ToolEffects {
  const { env } = context;
  const { stateDir, queue } = project;
  return {
    identity: identify(process.pid),
    isAlive,
    newSessionId: () => crypto.randomUUID(),
    limits: async () => {
      const { max_attempts, limits } = await readAcceptedConfig(project);
      return { max_attempts, stuck: limits.stuck };
    },
    looksUnchanged: async (session_id) => {
      const { sessionLooksUnchanged } = await import('../../supervisor/ground/looks-unchanged.ts');
      const { session } = await showSession(queue, session_id);
      return sessionLooksUnchanged(
        slotPlace(env, project, (await readAcceptedConfig(project)).slots),
        session,
      );
    },
    recover: async (input) => {
      const { recoverClients } = await import('./work-place.ts');
      await recoverClients(context, project, input);
    },
    openPlace: async (input) => {
      const { openWorkPlace } = await import('./work-place.ts');
      return openWorkPlace(context, project, input);
    },
    verifiesFeatures: async () => (await readAcceptedConfig(project)).verify_feature,
    writePrompt: write,
    recordPrompt: async (session_id, { system, prompt, learnings }) => {
      await recordGivenLearnings(queue, session_id, learnings);
      await writePromptFiles(sessionDir(stateDir, session_id), { system, prompt }, { isDurable: true });
      if (!queue.store.isShared) return;
      const { shareSession } = await import('../../supervisor/sessions/share-session.ts');
      // The next run on this machine sends what could not be sent now.
      await shareSession({ queue, stateDir }, session_id)
        .pass(false)
        .catch(() => {});
    },
    // Nothing depends on it: the next supervisor writes the entries that are missing.
    writeJournal: async () => {
      const { writeMissingEntries } = await import('../../supervisor/deferred-writes.ts');
      const config = await readAcceptedConfig(project);
      const folder = slotsFolder(env, project, config.slots);
      await writeMissingEntries({ ...project, slotsFolder: folder, config });
    },
    secrets,
  };
}
