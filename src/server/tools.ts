// Maps tools to MCP; no other file does.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type InputRequiredSpec,
  inputRequired,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { textProblem } from '../domain/text/text.ts';
import { runExclusive } from '../tools/client-state.ts';
import type { Answer, Elicitation, Person, Tool } from '../tools/tool.ts';
import type { Binding, Client } from './binding.ts';
import { explain } from './explain.ts';
import { loadParts } from './load-parts.ts';

export function serveTools(server: Server, client: Client): void {
  const { binding } = client;
  server.setRequestHandler('tools/list', async () => {
    const { describeTool } = await loadParts();
    const isLean = binding.recipe === null;
    // After the answer is sent.
    setImmediate(binding.onToolsListed);
    return { tools: (await availableTools(binding)).map((tool): McpTool => describeTool(tool, { isLean })) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = (await availableTools(binding)).find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}" here.`);
    const patience = keepWaiting(context);
    try {
      return await call(server, client, tool, params.arguments ?? {}, context);
    } catch (error) {
      return { content: [{ type: 'text', text: explain(binding, error) }], isError: true };
    } finally {
      clearInterval(patience);
    }
  });
}

async function availableTools({ recipe }: Binding): Promise<readonly Tool[]> {
  const { INTERACTIVE_TOOLS, TOOLS, RECIPES } = await loadParts();
  if (recipe === null) return INTERACTIVE_TOOLS;
  return RECIPES[recipe].tools.flatMap((name) => TOOLS.find((tool) => tool.name === name) ?? []);
}

async function call(
  server: Server,
  { binding, state }: Client,
  tool: Tool,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { checkArguments } = await loadParts();
  const { input, note } = checkArguments(tool, args);
  const backend = await binding.backend();
  const call_id = callId(context);
  // One after another: two calls at once could take two tasks, or close one twice.
  const isInTurn = state.bound_session === null && !tool.hints.readOnly;
  const run = (person: Person): Promise<Answer> => {
    const work = async () => {
      const answer = await tool.run({ ...backend, client: state, person, call_id }, input);
      if (!tool.hints.readOnly) await backend.afterChange();
      return answer;
    };
    return isInTurn ? runExclusive(state, work) : work();
  };
  const person = findPerson(server, context);
  const answer = await run(person);
  const { mask } = backend.queue;
  if ('text' in answer) return toolResult(mask(`${answer.text}${note}`));
  if (context.mcpReq.envelope !== undefined) return inputRequired(requestFor(answer.ask));
  // In the older protocol the server sends a request to ask. If that fails, the question is stored already.
  const text = await askNow(context, answer.ask).catch(() => null);
  const final = await run({ ...person, reply: { state: answer.ask.state, text } });
  return toolResult('text' in final ? mask(`${final.text}${note}`) : '');
}

const toolResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

const PATIENCE_MS = 5_000;

/** Gates take minutes. A client that wants progress gets some, so that it does not give up. */
function keepWaiting({ mcpReq }: ServerContext): NodeJS.Timeout | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'Ralph is at work' };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  }, PATIENCE_MS).unref();
}

function elicitationForm({ message, options, preferred }: Elicitation): ElicitRequestFormParams {
  const choices = [...new Set(options)];
  const isChoice = preferred !== null && (choices.length === 0 || choices.includes(preferred));
  const answer = {
    type: 'string' as const,
    title: 'Answer',
    ...(choices.length > 0 && { enum: choices }),
    ...(isChoice && { default: preferred }),
  };
  return { message, requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] } };
}

const requestFor = (ask: Elicitation): InputRequiredSpec => ({
  inputRequests: { answer: inputRequired.elicit(elicitationForm(ask)) },
  requestState: ask.state,
});

async function askNow({ mcpReq }: ServerContext, ask: Elicitation): Promise<string | null> {
  return answerIn(await mcpReq.elicitInput(elicitationForm(ask)));
}

function findPerson(server: Server, { mcpReq }: ServerContext): Person {
  // The newer protocol sends capabilities with each request, the older one once per connection.
  const envelope: Envelope = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  // Before the protocol had modes, an empty object meant a form.
  const canAnswer =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  const response = mcpReq.inputResponses?.['answer'];
  if (response === undefined) return { canAnswer, reply: null };
  return { canAnswer, reply: { state: String(mcpReq.requestState() ?? ''), text: answerIn(response) } };
}

type Envelope = { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };

function answerIn(response: unknown): string | null {
  if (typeof response !== 'object' || response === null) return null;
  const { action, content } = response as { action?: unknown; content?: { answer?: unknown } | null };
  const answer = content?.answer;
  return action === 'accept' && typeof answer === 'string' ? answer : null;
}

const MAX_CALL_ID = 200;

function callId({ mcpReq }: ServerContext): string | null {
  const id = mcpReq._meta?.['claudecode/toolUseId'];
  return typeof id === 'string' && id !== '' && textProblem(id, MAX_CALL_ID) === null ? id : null;
}
