// Who the server speaks to, read from the environment; the project behind it is opened late.
import { realpathSync, writeFile } from 'node:fs';
import { resolve } from 'node:path';
import { RECIPE_NAMES } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import type { Backend, Binding } from '../server/binding.ts';
import type { Pipes, ProjectContext } from './world.ts';

export type BindingContext = ProjectContext & { version: string; pipes: Pick<Pipes, 'log'> };

export function bindingFor(context: BindingContext): Binding {
  const { RALPH_SESSION_ID, RALPH_TASK_ID, RALPH_RECIPE, RALPH_READY_FILE, HOME } = context.env;
  const session_id = RALPH_SESSION_ID || null;
  if (session_id !== null && !/^[\w-]{1,100}$/.test(session_id))
    throw new Refusal('RALPH_SESSION_ID is not the id of a session.');
  const recipe = parseRecipe(RALPH_RECIPE || (session_id === null ? undefined : 'task_execution'));
  if (session_id === null && (recipe === 'task_execution' || recipe === 'opus_review'))
    throw new Refusal(`RALPH_RECIPE is ${recipe}, but RALPH_SESSION_ID does not say which session this is.`);
  if ((RALPH_TASK_ID ?? '') !== '' && !/^[1-9]\d{0,12}$/.test(RALPH_TASK_ID ?? ''))
    throw new Refusal('RALPH_TASK_ID is not the number of a task.');
  let opening: Promise<Backend> | null = null;
  const report = (error: unknown) => context.pipes.log(`ralph: ${errorDetail(error)}\n`);
  const reportOnce = reportChanges(report);

  async function open(): Promise<Backend> {
    const { openBackend } = await import('./mcp-backend.ts');
    const isPlanning = recipe !== 'task_execution' && recipe !== 'opus_review';
    const office = await openBackend(context, isPlanning ? session_id : null);
    // A supervised session works with what its supervisor read: no edit of a file may reach it.
    if (session_id !== null) return { ...office, sync: async () => {}, settled: async () => {} };
    return {
      ...office,
      sync: () => office.sync().then(reportOnce.clear, reportOnce),
      settled: () => office.settled().catch(reportOnce),
    };
  }

  return {
    version: context.version,
    recipe,
    session_id,
    office: async () => {
      opening ??= open();
      const mine = opening;
      const office = await mine.catch((error: unknown) => {
        // The next call tries again, unless another one does already.
        if (opening === mine) opening = null;
        throw error;
      });
      // A person edits files while the server runs. What is wrong in them is told; what was there before stays.
      await office.sync();
      return office;
    },
    listed: () => {
      if (RALPH_READY_FILE) writeFile(RALPH_READY_FILE, '', { flag: 'wx' }, () => {});
    },
    mask: (text) => maskPaths(text, context.project, HOME),
    report,
  };
}

function parseRecipe(name: string | undefined): Binding['recipe'] {
  if (name === undefined) return null;
  const found = RECIPE_NAMES.find((one) => one === name);
  if (found === undefined)
    throw new Refusal(
      `RALPH_RECIPE is "${name}", which is no recipe${didYouMean(name, RECIPE_NAMES) || `; there are ${RECIPE_NAMES.join(', ')}.`}`,
    );
  return found;
}

/** The same trouble is told when it begins, and not at every look. */
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

/** Where the project lies on this machine is nobody's business outside of it. */
function maskPaths(text: string, project: string, home: string | undefined): string {
  const places = [realPath(project), resolve(project)].filter(
    (place): place is string => place !== null && place !== '/',
  );
  const inside = [...new Set(places)].reduce(
    (shown, place) => shown.replaceAll(`${place}/`, '').replaceAll(place, 'the project'),
    text,
  );
  const short = home === undefined || home === '/' || home === '' ? inside : inside.replaceAll(home, '~');
  // The state of a work tree or a subfolder lies in another folder than the project.
  return short.replace(/(^|\s)\/\S*\/(ralph\.db\S*)/g, '$1$2');
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function errorDetail(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
