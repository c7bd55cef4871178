// `ralph ui`: what the dashboard needs of this project and this machine, and its server until a signal comes.
import { dirname, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text.ts';
import { keepAddress, lastAddress, newAddress } from '../host/dashboard-address.ts';
import { newToken, proofOf } from '../host/http-guard.ts';
import { firstSignal } from '../host/lifetime.ts';
import { openBrowser } from '../host/open-browser.ts';
import { isAlive } from '../host/process-identity.ts';
import { definitionFiles, stampOf } from '../knowledge/definition-files.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { search } from '../knowledge/search.ts';
import { openStreams } from '../knowledge/streams.ts';
import type { UiOffice } from '../ui/office.ts';
import { type Serving, serveUi } from '../ui/serve.ts';
import type { CommandContext } from './command.ts';
import { followQueue } from './mirror.ts';
import { keptPrompt, writePrompt } from './office.ts';
import { type Project, syncDefinitions, withQueue } from './project.ts';
import { reportPage } from './report-page.ts';
import { stateHome } from './state-home.ts';
import type { UiOptions } from './ui.ts';

const PROBE_WITHIN_MS = 2_000;

export function serveDashboard(context: CommandContext, options: UiOptions): Promise<void> {
  return withQueue(
    context,
    async (project) => {
      const { env, now, cwd, pipes, asJson, terminal } = context;
      const home = stateHome(env);
      const { token, port } = (await lastAddress(home, project.root, now())) ?? newAddress();
      const serve = (at: number): Promise<Serving> =>
        serveUi(officeOf(context, project, options.readOnly ?? false), {
          port: at,
          token,
          pageFolder: join(dirname(context.program.script), 'web'),
        });
      const wanted = options.port ?? port;
      const serving = await serve(wanted).catch(async (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        if (await isOurs(wanted, token)) return null;
        if (options.port !== undefined) throw error;
        return serve(0);
      });
      if (serving === null) {
        const url = `http://127.0.0.1:${wanted}/#${token}`;
        pipes.print(asJson ? `${JSON.stringify({ url })}\n` : `It is there already:\n  ${url}\n`);
        return;
      }
      await keepAddress(home, project.root, { token, port: serving.port }, now());
      const url = `${serving.url}#${token}`;
      pipes.print(asJson ? `${JSON.stringify({ url })}\n` : started(url));
      if (options.open && !asJson && terminal.ask !== null && !openBrowser(url, cwd, env))
        pipes.print('No browser was found to open it with; open the address yourself.\n');
      await firstSignal();
      await serving.close();
    },
    'ui',
  );
}

const started = (url: string): string =>
  `The dashboard of this project, until Ctrl-C:\n  ${url}\nThe address is the key to it; it works on this machine alone.\n`;

/** Whether what listens there is the dashboard of this project: nobody else knows the token, nor is given it to find out. */
async function isOurs(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const signal = AbortSignal.timeout(PROBE_WITHIN_MS);
  try {
    const answer = await fetch(`http://${host}/api/hello?nonce=${nonce}`, { signal });
    const { proof } = (await answer.json()) as { proof?: string };
    return proof === proofOf(token, host, nonce);
  } catch {
    return false;
  }
}

/** Files that are wrong are read again when they have changed: pages look every few seconds. */
function syncOf(project: Project): UiOffice['sync'] {
  let wrong: { stamp: string; sentence: string } | null = null;
  return async () => {
    const stamp = stampOf(project.root, definitionFiles(project.root));
    if (wrong?.stamp === stamp) return wrong.sentence;
    try {
      await syncDefinitions(project);
      wrong = null;
      return (await followQueue(project, 'take')).sentence;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      wrong = { stamp, sentence: error.message };
      return error.message;
    }
  };
}

function officeOf(context: CommandContext, project: Project, isReadOnly: boolean): UiOffice {
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
    sync: syncOf(project),
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
