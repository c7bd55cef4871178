// What a tool does to this machine besides the queue: prove, save and commit work, begin sessions.

import { Refusal } from '../domain/refusal.ts';
import { gateChangesText, unsignedText } from '../domain/sessions/commit-message.ts';
import { allowedMatcher } from '../files/secret-files.ts';
import { headCommit } from '../host/git/git.ts';
import { identify, isAlive } from '../host/processes/process-identity.ts';
import { projectWorkTrees } from '../host/project.ts';
import { sessionDir, writePromptFiles } from '../host/session-folder.ts';
import { slotLooksUnchanged } from '../host/slots/looks-unchanged.ts';
import { workSlot } from '../host/slots/slot-pool.ts';
import { createVerifier } from '../host/verify.ts';
import { looksUnchanged } from '../host/work/changed-work.ts';
import { discardWork, saveUnfinished } from '../host/work/unfinished-work.ts';
import { readConfig } from '../project/read-config.ts';
import { recordGivenLearnings } from '../queue/learnings/given-learnings.ts';
import { knownGateResults } from '../queue/sessions/gate-results.ts';
import type { LiveSession } from '../queue/sessions/live-session.ts';
import { isLastAttempt, showSession } from '../queue/sessions/sessions.ts';
import { featureWork } from '../queue/tasks/features.ts';
import { show } from '../queue/tasks/show.ts';
import type { ToolEffects } from '../tools/tool.ts';
import { beginSession } from './begin-session.ts';
import type { Project } from './open-project.ts';
import { slotsFolder } from './slots.ts';
import { readTrust } from './trust.ts';
import type { ProjectContext } from './world.ts';

export function toolEffects(
  context: ProjectContext,
  project: Project,
  write: ToolEffects['writePrompt'],
  secrets: ToolEffects['secrets'],
): ToolEffects {
  const { env } = context;
  const { root, stateDir } = project;
  const place = { root, env, stateDir };
  const notes: string[] = [];
  const committing = async () => ({ agentCommits: (await readConfig(root)).commit === 'agent' });
  const keepWork = async (session_id: string, task_id: number): Promise<void> => {
    const isLast = (): Promise<boolean> => isLastAttempt(project.queue, task_id, session_id);
    await saveUnfinished(place, { session_id, task_id, isLast }, null, await committing());
  };
  const verifiesFeatures = async () => (await readConfig(root)).verify_feature;
  return {
    identity: identify(process.pid),
    isAlive,
    trees: projectWorkTrees(project),
    newSessionId: () => crypto.randomUUID(),
    headCommit: () => headCommit({ root, env }),
    limits: async () => {
      const { max_attempts, limits } = await readConfig(root);
      return { max_attempts, stuck: limits.stuck };
    },
    looksUnchanged: async (session_id) => {
      const { session } = await showSession(project.queue, session_id);
      if (session.slot === null) return looksUnchanged(place, session_id);
      const folder = slotsFolder(env, project, (await readConfig(root)).slots);
      return slotLooksUnchanged(workSlot({ repository: place, folder }, session.slot), session_id);
    },
    requireProvable: () => requireTrust(context, project),
    ...createVerifier({
      place,
      rules: async () => {
        await requireTrust(context, project);
        return readConfig(root);
      },
      knownGates: (tree) => knownGateResults(project.queue, tree),
      secrets: {
        questions: async (task_id) => (await show(project.queue, task_id)).questions,
        allowed: async () => allowedMatcher((await readConfig(root)).secrets_allowed),
      },
      featureWork: async (live: LiveSession) => featureWork(project.queue, live, await verifiesFeatures()),
      onGateChanges: (changes) => void notes.push(`Note: ${gateChangesText(changes)}.`),
      onUnsigned: (reason) => void notes.push(`Note: ${unsignedText(reason)}.`),
    }),
    gateNotes: () => notes.splice(0),
    verifiesFeatures,
    commitsFeatures: async () => (await readConfig(root)).commit === 'feature',
    settled: async ({ task }, { status }) => {
      const keepTrees = (await readConfig(root)).commit === 'feature';
      if (status === 'done') await discardWork(place, task.id, { keepTrees });
    },
    writePrompt: write,
    // Nothing depends on it: the next supervisor writes the entries that are missing.
    writeJournal: async () => {
      const { writeMissingEntries } = await import('../supervisor/deferred-writes.ts');
      const config = await readConfig(root);
      const folder = slotsFolder(env, project, config.slots);
      await writeMissingEntries({ ...project, slotsFolder: folder, config });
    },
    begin: async (session_id, task_id, { system, prompt, learnings }) => {
      await recordGivenLearnings(project.queue, session_id, learnings);
      const folder = sessionDir(stateDir, session_id);
      await writePromptFiles(folder, { system, prompt }, { isDurable: true });
      await beginSession(place, project.queue, { session_id, task_id }, await committing());
    },
    saveUnfinished: ({ task, session }) => keepWork(session.id, task.id),
    keepWork,
    secrets,
  };
}

/** A configuration may have come with a clone: Ralph runs nothing of it before a person trusts it. */
async function requireTrust(context: ProjectContext, project: Project): Promise<void> {
  const { trusted } = await readTrust(context, project);
  if (!trusted)
    throw new Refusal(
      'The gates of this project are not trusted yet, so a done cannot be proven. Nothing was changed. Ask the person to run ralph trust, then call the tool again.',
    );
}
