// Tools become MCP here, and nowhere else.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { textProblem } from '../domain/text.ts';
import { inTurn } from '../tools/desk.ts';
import type { Answer, Elicitation, Person, Tool } from '../tools/tool.ts';
import { explain } from './explain.ts';
import type { Client, Face } from './face.ts';
import { loadParts } from './load-parts.ts';

export function serveTools(server: Server, client: Client): void {
  const { face } = client;
  server.setRequestHandler('tools/list', async () => {
    const { describeTool } = await loadParts();
    return { tools: (await toolsOf(face)).map((tool): McpTool => describeTool(tool)) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = (await toolsOf(face)).find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}" here.`);
    return call(tool, params.arguments ?? {}, client, personOf(server, context), callId(context));
  });
}

async function toolsOf({ recipe }: Face): Promise<readonly Tool[]> {
  const { INTERACTIVE_TOOLS, TOOLS, RECIPES } = await loadParts();
  if (recipe === null) return INTERACTIVE_TOOLS;
  return RECIPES[recipe].tools.flatMap((name) => TOOLS.find((tool) => tool.name === name) ?? []);
}

async function call(
  tool: Tool,
  given: unknown,
  { face, desk }: Client,
  person: Person,
  call_id: string | null,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const { checkArguments } = await loadParts();
    const input = checkArguments(tool, given);
    const office = await face.office();
    const work = () => tool.run({ ...office, desk, person, call_id }, input);
    // One after another: two calls at once could take two tasks, or close one twice.
    return toResult(await (desk.bound === null && !tool.hints.readOnly ? inTurn(desk, work) : work()));
  } catch (error) {
    return { content: [{ type: 'text', text: explain(face, error) }], isError: true };
  }
}

function toResult(answer: Answer): CallToolResult | InputRequiredResult {
  return 'text' in answer ? { content: [{ type: 'text', text: answer.text }] } : elicit(answer.ask);
}

/** Asked the way of the newer protocol; for older clients the SDK turns it into a request of its own. */
function elicit({ message, options, preferred, state }: Elicitation): InputRequiredResult {
  const choices = [...new Set(options)];
  const isChoice = preferred !== null && (choices.length === 0 || choices.includes(preferred));
  const answer = {
    type: 'string' as const,
    title: 'Answer',
    ...(choices.length > 0 && { enum: choices }),
    ...(isChoice && { default: preferred }),
  };
  return inputRequired({
    inputRequests: {
      answer: inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      }),
    },
    requestState: state,
  });
}

function personOf(server: Server, { mcpReq }: ServerContext): Person {
  // By request in the newer protocol, by connection in the older.
  const envelope: Envelope = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  // Before there were modes, an empty object meant a form.
  const canAnswer =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  const response = mcpReq.inputResponses?.['answer'];
  if (response === undefined) return { canAnswer, answered: null };
  return { canAnswer, answered: { state: String(mcpReq.requestState() ?? ''), text: answerIn(response) } };
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
