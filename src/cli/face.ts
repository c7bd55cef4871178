// Who the server speaks to, read from the environment; the project behind it is opened late.
import { RECIPE_NAMES } from '../domain/config.ts';
import { didYouMean } from '../domain/nearest.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Face, Office } from '../server/face.ts';
import type { CommandContext } from './command.ts';

export function faceFor(context: CommandContext): Face {
  const { RALPH_SESSION_ID, RALPH_TASK_ID, RALPH_RECIPE, HOME } = context.env;
  const session_id = RALPH_SESSION_ID || null;
  if (session_id !== null && !/^[\w-]{1,100}$/.test(session_id))
    throw new Refusal('RALPH_SESSION_ID is not the id of a session.');
  const recipe = recipeNamed(RALPH_RECIPE || (session_id === null ? undefined : 'task_execution'));
  const isInteractive = recipe === null;
  let opening: Promise<Office> | null = null;
  const report = (error: unknown) => context.pipes.log(`ralph: ${detailOf(error)}\n`);

  async function open(): Promise<Office> {
    const { openOffice } = await import('./office.ts');
    return openOffice(context);
  }

  return {
    version: context.version,
    recipe,
    session_id,
    task_id: /^[1-9]\d{0,12}$/.test(RALPH_TASK_ID ?? '') ? Number(RALPH_TASK_ID) : null,
    office: async () => {
      const isFirst = opening === null;
      opening ??= open();
      const mine = opening;
      const office = await mine.catch((error: unknown) => {
        // The next call tries again, unless another one does already.
        if (opening === mine) opening = null;
        throw error;
      });
      // A supervised session works with what the supervisor read; a person edits files while the server runs.
      if (isFirst || isInteractive) await office.sync().catch(report);
      return office;
    },
    mask: (text) => masked(text, context.project, HOME),
    report,
  };
}

function recipeNamed(name: string | undefined): Face['recipe'] {
  if (name === undefined) return null;
  const found = RECIPE_NAMES.find((one) => one === name);
  if (found === undefined)
    throw new Refusal(
      `RALPH_RECIPE is "${name}", which is no recipe${didYouMean(name, RECIPE_NAMES) || `; there are ${RECIPE_NAMES.join(', ')}.`}`,
    );
  return found;
}

/** Where the project lies on this machine is nobody's business outside of it. */
function masked(text: string, project: string, home: string | undefined): string {
  const inside = text.replaceAll(`${project}/`, '').replaceAll(project, 'the project');
  return home === undefined || home === '/' || home === '' ? inside : inside.replaceAll(home, '~');
}

function detailOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
