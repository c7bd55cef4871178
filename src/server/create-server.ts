import { type JsonSchemaType, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Client } from './binding.ts';
import { serveCompletions } from './completions.ts';
import { instructionsFor } from './instructions.ts';
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
