// `ralph ui`: what the dashboard needs of this project and this machine, and its server until a signal comes.
import { dirname, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text.ts';
import { keepAddress, lastAddress, newAddress } from '../host/dashboard-address.ts';
import { firstSignal } from '../host/lifetime.ts';
import { openBrowser } from '../host/open-browser.ts';
import { isAlive } from '../host/process-identity.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { search } from '../knowledge/search.ts';
import type { UiOffice } from '../ui/office.ts';
import { type Serving, serveUi } from '../ui/serve.ts';
import type { CommandContext } from './command.ts';
import { followQueue } from './mirror.ts';
import { writePrompt } from './office.ts';
import { type Project, syncDefinitions, withQueue } from './project.ts';
import { stateHome } from './state-home.ts';
import type { UiOptions } from './ui.ts';

export function serveDashboard(context: CommandContext, options: UiOptions): Promise<void> {
  const serveUntilSignal = async (project: Project): Promise<void> => {
    const { env, now, cwd, pipes, asJson, terminal } = context;
    const home = stateHome(env);
    const { token, port } = (await lastAddress(home, project.root, now())) ?? newAddress();
    const serve = (at: number): Promise<Serving> =>
      serveUi(officeOf(context, project, options.readOnly ?? false), {
        port: at,
        token,
        pageFolder: join(dirname(context.program.script), 'web'),
      });
    const serving =
      options.port === undefined
        ? await serve(port).catch(somebodyElseIsThere(() => serve(0)))
        : await serve(options.port);
    await keepAddress(home, project.root, { token, port: serving.port }, now());
    const url = `${serving.url}#${token}`;
    pipes.print(asJson ? `${JSON.stringify({ url })}\n` : started(url));
    if (options.open && !asJson && terminal.ask !== null && !openBrowser(url, cwd, env))
      pipes.print('No browser was found to open it with; open the address yourself.\n');
    await firstSignal();
    await serving.close();
  };
  return withQueue(context, serveUntilSignal, 'ui');
}

const started = (url: string): string =>
  `The dashboard of this project, until Ctrl-C:\n  ${url}\nThe address is the key to it; it works on this machine alone.\n`;

const somebodyElseIsThere =
  <T>(instead: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (!(error instanceof Refusal)) throw error;
    return instead();
  };

export function officeOf(context: CommandContext, project: Project, isReadOnly: boolean): UiOffice {
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
    sync: async () => {
      try {
        await syncDefinitions(project);
        return (await followQueue(project, 'take')).sentence;
      } catch (error) {
        if (error instanceof Refusal) return error.message;
        throw error;
      }
    },
    settled: async () => {
      const { sentence } = await followQueue(project, 'take');
      if (sentence !== null) tell(sentence);
    },
    prompt: (task_id) => writePrompt(context, project, 'task_execution', { task_id }),
    reportHtml: async () => {
      throw new Refusal('not built');
    },
    search: async (query) => search({ store: queue.store, root, stateDir, config: await config() }, query),
    report: (error) => tell(error instanceof Error ? error.message : String(error)),
  };
}
