import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { RECIPE_NAMES } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Binding } from './binding.ts';
import { explain } from './explain.ts';
import { loadParts } from './load-parts.ts';

/** The protocol allows no more in one answer. */
const MAX_VALUES = 100;

export function serveCompletions(server: Server, binding: Binding): void {
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context } = params;
    try {
      const knownArguments = { ...context?.arguments };
      return {
        completion:
          ref.type === 'ref/prompt'
            ? await forPrompt(binding, ref.name, argument)
            : matching(await forResource(binding, ref.uri, argument.name, knownArguments), argument.value),
      };
    } catch (error) {
      const code =
        error instanceof Refusal ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, explain(binding, error));
    }
  });
}

type TypedArgument = { name: string; value: string };

function matching(all: readonly string[], typed: string): CompleteResult['completion'] {
  const values = all.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
  return { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES };
}

/** Completes task numbers that fit the recipe; in a list of numbers, the last one. */
async function forPrompt(
  binding: Binding,
  name: string,
  { name: argument, value }: TypedArgument,
): Promise<CompleteResult['completion']> {
  const recipe = RECIPE_NAMES.find((one) => one === name);
  if (recipe === undefined) throw new Refusal(`There is no prompt "${name}" here.`);
  const filter = argument === 'id' || argument === 'ids' ? taskFilter(recipe) : null;
  if (filter === null) return { values: [] };
  const [, before = '', typed = ''] = /^(.*,)?\s*(\d*)$/.exec(value) ?? [];
  const { queue } = await binding.backend();
  const { list } = await loadParts();
  const ready = filter === 'ready' ? { ready: { isReady: true, at: queue.now() } } : { status: filter };
  const found = await list(queue, { ...ready, starts_with: typed, limit: MAX_VALUES + 1 });
  const values = found.slice(0, MAX_VALUES).map(({ id }) => `${before}${id}`);
  return { values, hasMore: found.length > MAX_VALUES };
}

function taskFilter(recipe: RecipeName): 'ready' | 'done' | 'draft' | null {
  switch (recipe) {
    case 'task_execution':
      return 'ready';
    case 'opus_review':
      return 'done';
    case 'enrichment':
      return 'draft';
    default:
      return null;
  }
}

async function forResource(
  binding: Binding,
  uri: string,
  argument: string,
  known: Record<string, string>,
): Promise<string[]> {
  const { RESOURCES } = await loadParts();
  const family = RESOURCES.find((one) => one.uri === uri);
  if (family === undefined)
    throw new Refusal('There is no such template; resources/templates/list has those there are.');
  const { complete = {} } = family;
  return Object.hasOwn(complete, argument)
    ? (complete[argument]?.(await binding.backend(), known) ?? [])
    : [];
}
