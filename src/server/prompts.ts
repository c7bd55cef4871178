// Maps recipes to MCP prompts; no other file does.
import {
  type GetPromptResult,
  type Prompt as McpPrompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import type { GatherInput } from '../context/gather.ts';
import { RECIPE_NAMES } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Recipe } from '../recipes/recipe.ts';
import type { Backend, Binding } from './binding.ts';
import { explain } from './explain.ts';
import { loadParts } from './load-parts.ts';

type Argument = { name: string; description: string; required: boolean };

const TASK: Argument = { name: 'id', description: 'number of the task', required: true };
const DRAFTS: Argument = { name: 'ids', description: 'numbers of drafts, such as 4,5', required: true };
const TOPIC: Argument = { name: 'topic', description: 'what it is about', required: false };

/** The arguments of each prompt, in the order in which a client asks for them. */
const ARGUMENTS: Record<RecipeName, readonly Argument[]> = {
  task_execution: [TASK],
  opus_review: [TASK],
  enrichment: [DRAFTS],
  braindump: [{ name: 'text', description: 'what is on your mind, in no order', required: false }],
  yap: [TOPIC],
  ramble: [TOPIC],
  discuss: [TOPIC],
  plan: [],
};

export const promptArguments = (name: RecipeName): readonly Argument[] => ARGUMENTS[name];

export function describePrompt({ name, summary }: Recipe): McpPrompt {
  return {
    name,
    title: name.replaceAll('_', ' '),
    description: `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    arguments: [...ARGUMENTS[name]],
  };
}

export function servePrompts(server: Server, binding: Binding): void {
  server.setRequestHandler('prompts/list', async () => {
    const { RECIPES } = await loadParts();
    // A bound session sees only its own prompt.
    const names = RECIPE_NAMES.filter((name) => binding.recipe === null || binding.recipe === name);
    return { prompts: names.map((name) => describePrompt(RECIPES[name])) };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    try {
      const name = RECIPE_NAMES.find((one) => one === params.name);
      if (name === undefined) throw new Refusal(`There is no prompt "${params.name}" here.`);
      return await get(binding, name, params.arguments ?? {});
    } catch (error) {
      const code =
        error instanceof Refusal ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, explain(binding, error));
    }
  });
}

async function get(
  binding: Binding,
  name: RecipeName,
  args: Record<string, string>,
): Promise<GetPromptResult> {
  const { RECIPES } = await loadParts();
  const input = promptInput(name, RECIPES[name], args);
  const backend = await binding.backend();
  const text = (await storedPrompt(binding, name, input)) ?? (await fresh());
  return {
    description: RECIPES[name].summary,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };

  async function fresh(): Promise<string> {
    const { system, prompt } = await backend.writePrompt(name, input);
    const written = system === '' ? prompt : `${system}\n${prompt}`;
    if (binding.recipe !== null) return written;
    if (name === 'task_execution') return `${notTaken(input.task_id)}\n\n${written}`;
    return name === 'opus_review' ? `${written}\n${NO_VERDICT}\n` : written;
  }
}

/** Only sessions that Ralph launches have the reviewer's tools. */
const NO_VERDICT =
  'Here there is neither `approve` nor `request_changes`: tell the person your verdict and your reasons.';

/** Reading a prompt does not take the task; without this line the agent would learn that only at its `done`. */
const notTaken = (id: number | undefined): string =>
  `This task is not yours yet: call next_task with id ${id} before you begin, so that your verbs speak for it.`;

/** A supervised session gets the prompt that the supervisor stored, not one with later changes. */
async function storedPrompt(
  binding: Binding,
  name: RecipeName,
  { task_id }: GatherInput,
): Promise<string | null> {
  if (binding.session_id === null || binding.recipe !== name) return null;
  const backend = await binding.backend();
  if (task_id !== undefined) await requireOwnTask(backend, binding.session_id, task_id);
  return backend.storedPrompt(binding.session_id, name);
}

async function requireOwnTask({ queue }: Backend, session_id: string, task_id: number): Promise<void> {
  const { showSession } = await loadParts();
  const { session } = await showSession(queue, session_id);
  if (task_id !== session.task_id)
    throw new Refusal(`This session is for task ${session.task_id}; it has no prompt for task ${task_id}.`);
}

function promptInput(name: RecipeName, { subject }: Recipe, args: Record<string, string>): GatherInput {
  const knownArguments = ARGUMENTS[name];
  const missing = knownArguments.find((one) => one.required && (args[one.name] ?? '').trim() === '');
  if (missing !== undefined)
    throw new Refusal(
      `${name} needs "${missing.name}": ${missing.description}; in Claude Code, type it behind the command.`,
    );
  if (subject === 'task') return { task_id: taskId(args['id'] ?? '') };
  if (subject === 'drafts') return { drafts: (args['ids'] ?? '').split(',').map(taskId) };
  const input = args[knownArguments[0]?.name ?? ''];
  return input === undefined ? {} : { input };
}

function taskId(word: string): number {
  const id = /^#?([1-9]\d{0,12})$/.exec(word.trim())?.[1];
  if (id === undefined) throw new Refusal(`"${word}" is not the number of a task; give one such as 7.`);
  return Number(id);
}
