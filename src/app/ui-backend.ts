// What the dashboard needs of this project and this machine.
import { search } from '../context/search.ts';
import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text/text.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { changedDefinitions, definitionFiles, stampFiles } from '../project/definitions/definition-files.ts';
import { readConfig } from '../project/read-config.ts';
import { openStreams } from '../project/transcript/streams.ts';
import { appliedStamp } from '../queue/definitions/apply-definitions.ts';
import type { UiBackend } from '../ui/backend.ts';
import { followQueue } from './mirror.ts';
import { type Project, syncDefinitions } from './open-project.ts';
import { keptPrompt, writePrompt } from './prompt.ts';
import { reportPage } from './report.ts';
import type { CommandContext } from './world.ts';

/** Reads wrong files again only when they have changed: pages poll every few seconds. */
function createSync(project: Project, isReadOnly: boolean): UiBackend['sync'] {
  let wrong: { stamp: string; refusal: string } | null = null;
  return async () => {
    const stamp = stampFiles(project.root, definitionFiles(project.root));
    if (wrong?.stamp === stamp) return { refusal: wrong.refusal, note: null };
    try {
      await (isReadOnly ? checkDefinitions(project) : syncDefinitions(project));
      wrong = null;
      return { refusal: null, note: isReadOnly ? null : (await followQueue(project, 'take')).sentence };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      wrong = { stamp, refusal: error.message };
      return { refusal: error.message, note: null };
    }
  };
}

async function checkDefinitions({ root, queue }: Project): Promise<void> {
  await changedDefinitions(root, await appliedStamp(queue, root));
}

export function uiBackend(context: CommandContext, project: Project, isReadOnly: boolean): UiBackend {
  const { queue, root, stateDir } = project;
  const config = () => readConfig(root);
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  return {
    queue,
    root,
    stateDir,
    isReadOnly,
    config,
    isAlive,
    sync: createSync(project, isReadOnly),
    settled: async () => {
      const { sentence } = await followQueue(project, 'take');
      if (sentence !== null) tell(sentence);
    },
    prompt: (task_id) => writePrompt(context, project, 'task_execution', { task_id }),
    keptPrompt: (session_id) => keptPrompt(stateDir, session_id, 'task_execution'),
    reportHtml: (run_id) => reportPage(queue, run_id, context.now()),
    streams: openStreams(),
    search: async (query) => search({ store: queue.store, root, stateDir, config: await config() }, query),
    report: (error) => tell(error instanceof Error ? error.message : String(error)),
  };
}
