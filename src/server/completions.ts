import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { RECIPE_NAMES } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import type { Queue } from '../queue/queue.ts';
import { explain } from './explain.ts';
import type { Face } from './face.ts';
import { loadParts } from './load-parts.ts';

/** As many as the protocol allows in one answer. */
const MAX_VALUES = 100;
const LOOKED_AT = 1_000;

export function serveCompletions(server: Server, face: Face): void {
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context } = params;
    try {
      const known = { ...context?.arguments };
      const all =
        ref.type === 'ref/prompt'
          ? await forPrompt(face, ref.name, argument.name)
          : await forResource(face, ref.uri, argument.name, known);
      return { completion: matching(all, argument.value) };
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, explain(face, error));
    }
  });
}

function matching(all: readonly string[], typed: string): CompleteResult['completion'] {
  const values = all.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
  return { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES };
}

/** The tasks that each recipe is for. */
async function forPrompt(face: Face, name: string, argument: string): Promise<string[]> {
  const recipe = RECIPE_NAMES.find((one) => one === name);
  if (recipe === undefined || !['id', 'ids'].includes(argument)) return [];
  const { queue } = await face.office();
  return (await tasksFor(queue, recipe)).map(({ id }) => String(id));
}

async function tasksFor(queue: Queue, recipe: RecipeName): Promise<{ id: number }[]> {
  const { list } = await loadParts();
  switch (recipe) {
    case 'task_execution':
      return list(queue, { ready: { is: true, at: queue.now() }, limit: LOOKED_AT });
    case 'opus_review':
      return list(queue, { status: 'done', limit: LOOKED_AT });
    case 'enrichment':
      return list(queue, { status: 'draft', limit: LOOKED_AT });
    default:
      return [];
  }
}

async function forResource(
  face: Face,
  uri: string,
  argument: string,
  known: Record<string, string>,
): Promise<string[]> {
  const { RESOURCES } = await loadParts();
  const complete = RESOURCES.find((family) => family.uri === uri)?.complete?.[argument];
  return complete === undefined ? [] : complete(await face.office(), known);
}
