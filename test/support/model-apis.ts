// How the APIs of other models than Claude ask and answer. Each request is read as one of the Messages API, so that a script
// needs to know only that one.
import type { Block, Request, Said, Turn } from './scripted-model.ts';

export type ModelApi = {
  matches(url: string): boolean;
  read(body: Json): Request;
  /** The whole stream of events of one answer. */
  write(turn: Said, said: number): string;
  error(turn: Refusal): object;
  /** The status under which it refuses, if it is not the usual one. */
  status?(turn: Refusal): number;
};

type Refusal = Extract<Turn, { status: number }>;

// biome-ignore lint/suspicious/noExplicitAny: the body of a request, which the client of a test wrote.
export type Json = Record<string, any>;

type Message = Request['messages'][number];

const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const text = (value: unknown): Block => ({ type: 'text', text: String(value ?? '') });
const event = (data: Json): string => `event: ${data['type']}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
const tool = (value: Json): NonNullable<Request['tools']>[number] => ({
  name: String(value['name'] ?? value['type']),
  description: String(value['description'] ?? ''),
  input_schema: value['parameters'] ?? value['parametersJsonSchema'] ?? {},
});
const usageOf = ({ usage = { input_tokens: 10, output_tokens: 10 } }: Said) => usage;

/** OpenAI's newer API. Tools of an MCP server may stand in a namespace. */
const responses: ModelApi = {
  matches: (url) => url.endsWith('/responses'),
  read: ({ instructions, input, tools = [] }) => ({
    system: instructions,
    messages: (typeof input === 'string' ? [{ role: 'user', content: input }] : input).flatMap(readItem),
    tools: tools.flatMap((one: Json) =>
      one['type'] === 'namespace'
        ? one['tools'].map((inner: Json) => tool({ ...inner, name: `${one['name']}__${inner['name']}` }))
        : [tool(one)],
    ),
  }),
  write: (turn, said) => {
    const id = `resp_${said}`;
    const [namespace, name] = 'tool' in turn ? splitName(turn.tool) : [undefined, ''];
    const item: Json =
      'tool' in turn
        ? {
            type: 'function_call',
            id: `fc_${said}`,
            call_id: `call_${said}_${crypto.randomUUID()}`,
            ...(namespace !== undefined && { namespace }),
            name,
            arguments: JSON.stringify(turn.input),
          }
        : {
            type: 'message',
            id: `msg_${said}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: turn.text, annotations: [] }],
          };
    const usage = {
      ...usageOf(turn),
      total_tokens: usageOf(turn).input_tokens + usageOf(turn).output_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    return [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, output: [item], usage } },
    ]
      .map(event)
      .join('');
  },
  error: ({ status, message, code }) => ({
    error: { type: code ?? `error_${status}`, code: code ?? null, message: message ?? 'scripted' },
  }),
};

const splitName = (name: string): [string | undefined, string] => {
  const [, namespace, inner] = /^(mcp__\w+?)__(.+)$/.exec(name) ?? [];
  return inner === undefined ? [undefined, name] : [namespace, inner];
};

function readItem(item: Json): Message[] {
  const parts: Json[] =
    typeof item['content'] === 'string' ? [{ text: item['content'] }] : (item['content'] ?? []);
  if (item['type'] === 'function_call_output')
    return [user({ type: 'tool_result', content: JSON.stringify(item['output']) })];
  if (item['type'] === 'function_call' || item['type'] === 'custom_tool_call')
    return [assistant({ type: 'tool_use', name: item['name'] })];
  if (item['role'] === 'assistant') return [assistant(...parts.map((part) => text(part['text'])))];
  return item['role'] === undefined ? [] : [user(...parts.map((part) => text(part['text'])))];
}

/** What most other providers speak. */
const chat: ModelApi = {
  matches: (url) => url.endsWith('/chat/completions'),
  read: ({ messages, tools = [] }) => ({
    messages: messages.flatMap(({ role, content, tool_calls = [] }: Json) => {
      const parts: Json[] = typeof content === 'string' ? [{ text: content }] : (content ?? []);
      const blocks = parts.map((part) => text(part['text']));
      if (role === 'tool') return [user({ type: 'tool_result', content: blocks })];
      if (role !== 'assistant') return [user(...blocks)];
      return [assistant(...blocks, ...tool_calls.map(() => ({ type: 'tool_use' })))];
    }),
    tools: tools.map((one: Json) => tool(one['function'])),
  }),
  write: (turn, said) => {
    const call =
      'tool' in turn
        ? {
            tool_calls: [
              {
                index: 0,
                id: `call_${said}_${crypto.randomUUID()}`,
                type: 'function',
                function: { name: turn.tool, arguments: JSON.stringify(turn.input) },
              },
            ],
          }
        : { content: turn.text };
    const about = { id: `chat_${said}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' };
    const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = usageOf(turn);
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    const finish_reason = 'tool' in turn ? 'tool_calls' : 'stop';
    return [
      data({ ...about, choices: [{ index: 0, delta: { role: 'assistant', ...call }, finish_reason: null }] }),
      data({ ...about, choices: [{ index: 0, delta: {}, finish_reason }], usage }),
      'data: [DONE]\n\n',
    ].join('');
  },
  error: ({ status, message, code }) => ({
    error: {
      message: message ?? (code === 'usage_limit_reached' ? NO_QUOTA : 'scripted'),
      type: `error_${status}`,
      code: code ?? String(status),
    },
  }),
};

/** The code has no standard, so clients go by the words. */
const NO_QUOTA = 'Your quota is exceeded. It will reset at midnight.';

const gemini: ModelApi = {
  matches: (url) => url.includes('GenerateContent') || url.includes('generateContent'),
  read: ({ systemInstruction, contents, tools = [] }) => ({
    system: systemInstruction,
    messages: contents.map(({ role, parts }: Json) => {
      const blocks = parts.map((part: Json) =>
        part['functionResponse'] === undefined
          ? text(part['text'])
          : { type: 'tool_result', content: JSON.stringify(part['functionResponse']['response']) },
      );
      return role === 'model' ? assistant(...blocks) : user(...blocks);
    }),
    tools: tools.flatMap((one: Json) => (one['functionDeclarations'] ?? []).map(tool)),
  }),
  write: (turn) => {
    const part =
      'tool' in turn ? { functionCall: { name: turn.tool, args: turn.input } } : { text: turn.text };
    const { input_tokens, output_tokens } = usageOf(turn);
    return data({
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: input_tokens,
        candidatesTokenCount: output_tokens,
        totalTokenCount: input_tokens + output_tokens,
      },
      modelVersion: 'scripted',
    });
  },
  // A wrong key is a bad request, and only the details tell why.
  status: ({ status }) => (status === 401 ? 400 : status),
  error: ({ status, message = 'scripted', code }) => {
    const details = status === 401 ? [WRONG_KEY] : code === 'usage_limit_reached' ? [DAILY_QUOTA] : [];
    return { error: { code: status === 401 ? 400 : status, message, status: STATES[status], details } };
  },
};

const STATES: Readonly<Record<number, string>> = {
  401: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
const WRONG_KEY = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
};
const DAILY_QUOTA = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
};

export const OTHER_APIS: readonly ModelApi[] = [responses, chat, gemini];
