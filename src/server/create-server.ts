import { type JsonSchemaType, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Binding, Client } from './binding.ts';
import { serveCompletions } from './completions.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveTools } from './tools.ts';
import type { Watch } from './watch.ts';

/** The SDK's plain server, not its registry: the registry cannot page lists, and words argument errors itself. */
export function createServer(anyClient: Client, watch: Watch): Server {
  const client = withOwnFiles(anyClient);
  const { binding } = client;
  const server = new Server(
    { name: 'ralph', title: 'Ralph', version: binding.version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        completions: {},
      },
      instructions: instructionsFor(binding),
      jsonSchemaValidator: lateValidator,
    },
  );
  serveTools(server, client);
  serveResources(server, binding, watch);
  servePrompts(server, binding);
  serveCompletions(server, binding);
  return server;
}

/** A client that holds a task sees the files of its slot. */
const withOwnFiles = ({ binding, state }: Client): Client => ({
  state,
  binding: {
    ...binding,
    backend: async () => {
      const backend = await binding.backend();
      return { ...backend, filesRoot: state.held_task?.root ?? backend.filesRoot };
    },
  },
});

/** The SDK's own validator, created on first use: creating it takes a tenth of the server's start-up time. */
const lateValidator = {
  getValidator: <T>(schema: JsonSchemaType) => new AjvJsonSchemaValidator().getValidator<T>(schema),
};

const INTERACTIVE = `Ralph keeps this project's backlog and proves every "done".

To work on it: call next_task; it gives you one task with all you need to know, and the folder to work in. Do that task and nothing else. Then close it with done (Ralph runs the project's gates and believes only them), partial (what remains) or stuck (why). On the way: ask a person, learned for what later sessions should know, flag for problems beside the task, suggest for further work, blocked for what must come first.

To plan: create_feature, create_tasks, update_task, enrich_task. What a person decides (answer_question, set_task_status) only when they said so.

To look: the resources ralph://queue, ralph://questions, ralph://features, ralph://tasks/NUMBER, ralph://features/NAME.`;

const BOUND: Record<string, string> = {
  // The system prompt says it all, and every byte costs tokens in every session.
  task_execution: '',
  opus_review: 'You review one task of Ralph. End the session with approve or request_changes.',
};

/** Clients cut this at 2,048 characters. */
const instructionsFor = ({ recipe }: Binding): string =>
  recipe === null
    ? INTERACTIVE
    : (BOUND[recipe] ??
      'You plan with Ralph: what you make with its tools are tasks and features of this project.');
