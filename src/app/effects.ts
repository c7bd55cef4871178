// What a tool does to this machine besides the queue: where sessions work, and what is written about them.

import { identify, isAlive } from '../host/processes/process-identity.ts';
import { sessionDir, writePromptFiles } from '../host/session-folder.ts';
import { recordGivenLearnings } from '../queue/learnings/given-learnings.ts';
import { showSession } from '../queue/sessions/sessions.ts';
import type { ToolEffects } from '../tools/tool.ts';
import { readAcceptedConfig } from './definitions/read-accepted-config.ts';
import type { Project } from './open-project.ts';
import { slotPlace, slotsFolder } from './sessions/slots.ts';
import type { ProjectContext } from './world.ts';

/** Imports late what only a client that takes tasks needs: every session of an agent starts a server. */
export function toolEffects(
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
      const { sessionLooksUnchanged } = await import('../supervisor/ground/looks-unchanged.ts');
      const { session } = await showSession(queue, session_id);
      return sessionLooksUnchanged(
        slotPlace(env, project, (await readAcceptedConfig(project)).slots),
        session,
      );
    },
    recover: async (input) => {
      const { recoverClients } = await import('./sessions/work-place.ts');
      await recoverClients(context, project, input);
    },
    openPlace: async (input) => {
      const { openWorkPlace } = await import('./sessions/work-place.ts');
      return openWorkPlace(context, project, input);
    },
    verifiesFeatures: async () => (await readAcceptedConfig(project)).verify_feature,
    writePrompt: write,
    recordPrompt: async (session_id, { system, prompt, learnings }) => {
      await recordGivenLearnings(queue, session_id, learnings);
      await writePromptFiles(sessionDir(stateDir, session_id), { system, prompt }, { isDurable: true });
      if (!queue.store.isShared) return;
      const { shareSession } = await import('../supervisor/sessions/share-session.ts');
      // The next run on this machine sends what could not be sent now.
      await shareSession({ queue, stateDir }, session_id)
        .pass(false)
        .catch(() => {});
    },
    // Nothing depends on it: the next supervisor writes the entries that are missing.
    writeJournal: async () => {
      const { writeMissingEntries } = await import('../supervisor/deferred-writes.ts');
      const config = await readAcceptedConfig(project);
      const folder = slotsFolder(env, project, config.slots);
      await writeMissingEntries({ ...project, slotsFolder: folder, config });
    },
    secrets,
  };
}
