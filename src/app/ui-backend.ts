// What the dashboard needs of this project and this machine.
import { search } from '../context/search.ts';
import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text/text.ts';
import { openArtifacts } from '../host/artifacts/artifacts.ts';
import { acceptedFiles } from '../host/definitions/accepted.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { changedDefinitions, definitionFiles, stampFiles } from '../project/definitions/definition-files.ts';
import { openStreams } from '../project/transcript/streams.ts';
import { appliedStamp } from '../queue/definitions/apply-definitions.ts';
import { storedArtifacts } from '../queue/sessions/artifacts.ts';
import type { UiBackend } from '../ui/backend.ts';
import { approveDefinitions, pendingDefinitions, rejectDefinitions } from './definitions/definitions.ts';
import { readAcceptedConfig } from './definitions/trust.ts';
import { openMirror } from './mirror.ts';
import { type Project, refreshSummary, sync } from './open-project.ts';
import { reportPage } from './report.ts';
import { keptPrompt, writePrompt } from './sessions/prompt.ts';
import type { CommandContext } from './world.ts';

/** Reads wrong files again only when they have changed: pages poll every few seconds. */
function createSync(project: Project, isReadOnly: boolean): UiBackend['sync'] {
  let wrong: { stamp: string; refusal: string } | null = null;
  return async () => {
    const stamp = stampFiles(project.root, definitionFiles(project.root));
    if (wrong?.stamp === stamp) return { refusal: wrong.refusal, note: null };
    try {
      const note = isReadOnly ? await checkDefinitions(project) : await sync(project);
      wrong = null;
      return { refusal: null, note };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      wrong = { stamp, refusal: error.message };
      return { refusal: error.message, note: null };
    }
  };
}

async function checkDefinitions({ root, queue }: Project): Promise<null> {
  await changedDefinitions(root, await appliedStamp(queue, root));
  return null;
}

export function uiBackend(context: CommandContext, project: Project, isReadOnly: boolean): UiBackend {
  const { queue, root, stateDir } = project;
  const config = () => readAcceptedConfig(project);
  const artifacts = openArtifacts(stateDir, storedArtifacts(queue));
  // The page shows its problems, and the terminal those of a change.
  const mirror = openMirror(project);
  const applyFiles = createSync({ ...project, mirror }, isReadOnly);
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  return {
    queue,
    root,
    stateDir,
    isReadOnly,
    config,
    isAlive,
    sync: async () => {
      await refreshSummary(project);
      return applyFiles();
    },
    updateMirror: async () => {
      const { sentence } = await mirror.sync();
      if (sentence !== null) tell(sentence);
    },
    definitions: {
      pending: () => pendingDefinitions(project),
      approve: (proposal) => approveDefinitions(project, proposal),
      reject: (proposal) => rejectDefinitions(project, proposal),
    },
    prompt: (task_id) => writePrompt(context, project, 'task_execution', { task_id, isLaunched: true }),
    keptPrompt: (session_id) => keptPrompt(project, session_id, 'task_execution'),
    reportHtml: (run_id) => reportPage(queue, run_id, context.now()),
    artifacts,
    streams: openStreams(),
    search: async (query) => {
      const accepted = await acceptedFiles(project);
      return search({ store: queue.store, root, stateDir, accepted, config: await config() }, query);
    },
    report: (error) => tell(error instanceof Error ? error.message : String(error)),
  };
}
