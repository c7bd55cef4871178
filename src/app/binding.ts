// Reads from the environment what an interactive client is for; opens the project at the first call.
import { realpathSync, writeFile } from 'node:fs';
import { resolve } from 'node:path';
import { RECIPE_NAMES } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { closeQueue } from '../queue/queue.ts';
import type { Backend, Binding } from '../server/binding.ts';
import { requirePersonOrProgram } from './definitions/consent.ts';
import type { Pipes, ProjectContext } from './world.ts';

export type BindingContext = ProjectContext & {
  version: string;
  hasTerminal(): boolean;
  pipes: Pick<Pipes, 'log'>;
};

export function bindingFor(context: BindingContext): Binding {
  const { RALPH_SESSION_ID, RALPH_RECIPE, RALPH_READY_FILE, HOME } = context.env;
  // A server of its own would give the agent the tools of a person.
  if (RALPH_SESSION_ID)
    throw new Refusal(
      'This is a session of an agent, which reaches Ralph only through the MCP server that it was started with.',
    );
  const recipe = parseRecipe(RALPH_RECIPE || undefined);
  if (recipe === 'task_execution' || recipe === 'opus_review')
    throw new Refusal(`RALPH_RECIPE is ${recipe}, which only a session that Ralph launches has.`);
  let opening: Promise<Backend> | null = null;
  const report = (error: unknown) => context.pipes.log(`ralph: ${errorDetail(error)}\n`);
  const reportOnce = reportChanges(report);

  async function open(): Promise<Backend> {
    const { openBackend } = await import('./sessions/mcp-backend.ts');
    const backend = await openBackend(context);
    try {
      await requirePersonOrProgram(context, backend, 'serves a client of their own');
    } catch (error) {
      await closeQueue(backend.queue);
      throw error;
    }
    return {
      ...backend,
      sync: () => backend.sync().then(reportOnce.clear, reportOnce),
      afterChange: () => backend.afterChange().catch(reportOnce),
    };
  }

  return {
    version: context.version,
    recipe,
    session_id: null,
    backend: async () => {
      opening ??= open();
      const current = opening;
      const backend = await current.catch((error: unknown) => {
        // The next call tries again, unless another call has begun to.
        if (opening === current) opening = null;
        throw error;
      });
      // A person edits files while the server runs. Errors in them are reported; what was applied before stays.
      await backend.sync();
      return backend;
    },
    onToolsListed: () => {
      if (RALPH_READY_FILE) writeFile(RALPH_READY_FILE, '', { flag: 'wx' }, () => {});
    },
    mask: (text) => maskPaths(text, context.project, HOME),
    report,
  };
}

function parseRecipe(name: string | undefined): Binding['recipe'] {
  if (name === undefined) return null;
  const recipe = RECIPE_NAMES.find((one) => one === name);
  if (recipe === undefined)
    throw new Refusal(
      `RALPH_RECIPE is "${name}", which is no recipe${didYouMean(name, RECIPE_NAMES) || `; there are ${RECIPE_NAMES.join(', ')}.`}`,
    );
  return recipe;
}

/** Reports an error when it first occurs, and not again while it stays the same. */
function reportChanges(report: (error: unknown) => void): ((error: unknown) => void) & { clear: () => void } {
  let last = '';
  const tell = (error: unknown): void => {
    const text = errorDetail(error);
    if (text !== last) report(error);
    last = text;
  };
  const clear = (): void => {
    last = '';
  };
  return Object.assign(tell, { clear });
}

/** Takes paths of this machine out of a text: clients need not know where the project lies. */
export function maskPaths(text: string, project: string, home: string | undefined): string {
  const folders = [realPath(project), resolve(project)].filter(
    (folder): folder is string => folder !== null && folder !== '/',
  );
  const inside = [...new Set(folders)].reduce(
    (shown, folder) => shown.replaceAll(`${folder}/`, '').replaceAll(folder, 'the project'),
    text,
  );
  const short = home === undefined || home === '/' || home === '' ? inside : inside.replaceAll(home, '~');
  // The state of a work tree or of a subfolder lies outside of the project's folder.
  return short.replace(/(^|\s)\/\S*\/(ralph\.db\S*)/g, '$1$2');
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export function errorDetail(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
