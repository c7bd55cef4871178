// What the events of a client's stream mean for its session, whatever the client.
import { recogniseFault } from '../../domain/sessions/agent-failure.ts';
import type { SessionLimit } from '../../domain/sessions/session.ts';
import { entryLine } from '../../domain/transcript/entry.ts';
import { asText } from '../../domain/transcript/json.ts';
import {
  type AssistantBlock,
  type AssistantEvent,
  parseStreamLine,
  type ResultEvent,
  type StreamEvent,
  type StreamLine,
  type ToolUse,
  toolPath,
  WRITE_TOOLS,
} from '../../domain/transcript/parse.ts';
import { type Entry, readParts } from '../../domain/transcript/transcript.ts';
import type { Observation } from './agent.ts';
import { toStep } from './repeats.ts';

export function observeLine(text: string): Observation[] {
  const line = parseStreamLine(text);
  const { event, session_id } = line;
  const isNamed = session_id !== null && event.kind !== 'plain';
  return [
    ...(isNamed ? [{ kind: 'identified' as const, id: session_id }] : []),
    ...observeEvent(line, event),
  ];
}

function observeEvent(line: StreamLine, event: StreamEvent): Observation[] {
  switch (event.kind) {
    case 'init': {
      if (event.servers === null) return [];
      const isConnected = event.servers.some(
        ({ name, status }) => name === 'ralph' && status === 'connected',
      );
      return isConnected
        ? [{ kind: 'connected', isPlan: event.api_key_source === 'none' }]
        : [{ kind: 'fault', fault: 'mcp_lost' }];
    }
    case 'retry': {
      const fault = recogniseFault(event);
      return fault === null ? [] : [{ kind: 'retry', fault }];
    }
    case 'rate_limit':
      // Claude Code sends this only with a plan; with an API key only the result tells of a limit.
      return event.status === 'rejected' && event.resets_at !== null
        ? [{ kind: 'limited', until: event.resets_at * 1_000 }]
        : [];
    case 'assistant':
      return event.error === null
        ? [observeTurn(line, event), ...event.blocks.flatMap(observeStep)]
        : observeError(event, event.error);
    case 'user':
      return event.blocks.flatMap((block) =>
        block.kind === 'tool_result'
          ? [{ kind: 'step_ended' as const, id: block.tool_use_id, hasFailed: block.is_error }]
          : [],
      );
    case 'usage':
      return [{ kind: 'spent', usage: { ...event.usage, cost_usd: event.cost_usd } }];
    case 'result':
      return observeResult(event);
    default:
      return [];
  }
}

function observeTurn(line: StreamLine, { message_id, blocks, isPiece }: AssistantEvent): Observation {
  const entries = readParts(line).map(({ entry }) => entry);
  const uses = blocks.filter((block) => block.kind === 'tool_use');
  return {
    kind: 'turn',
    action: lastAction(entries),
    // The blanks at the ends of a piece stand between two words.
    ...(isPiece ? { words: pieceText(blocks), isPiece } : { words: lastText(entries) }),
    answer: message_id,
    files: writtenFiles(uses),
  };
}

/** Reading again is no repetition: what is read may have changed. */
function observeStep(block: AssistantBlock): Observation[] {
  if (block.kind === 'tool_result')
    return [{ kind: 'step_ended', id: block.tool_use_id, hasFailed: block.is_error }];
  if (block.kind !== 'tool_use') return [];
  const { id, name, input } = block;
  const text =
    name === 'Bash' ? asText(input['command']) : WRITE_TOOLS.includes(name) ? toolPath(block) : null;
  return text === null ? [] : [{ kind: 'step_begun', id, step: toStep(name, text, JSON.stringify(input)) }];
}

/** The last tool use, in the words of every screen: the tool and its target. */
function lastAction(entries: readonly Entry[]): string | null {
  const use = entries.findLast(({ kind }) => kind === 'tool');
  return use === undefined ? null : (entryLine(use).split('\n')[0]?.slice(0, 200) ?? null);
}

const lastText = (entries: readonly Entry[]): string | null =>
  entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : [])).at(-1) ?? null;

const pieceText = (blocks: readonly AssistantBlock[]): string =>
  blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');

/** The files that the agent's own tools write. Only the work tree can tell what a shell line writes. */
const writtenFiles = (uses: readonly ToolUse[]): string[] =>
  uses
    .filter(({ name }) => WRITE_TOOLS.includes(name))
    .map(toolPath)
    .filter((path) => path !== null);

/** The client wrote this message in place of an answer. An error of the agent's helper does not end the session. */
function observeError({ blocks, is_subagent }: AssistantEvent, error: string): Observation[] {
  if (is_subagent) return [];
  const text = blocks.find((block) => block.kind === 'text')?.text ?? '';
  return [{ kind: 'failure', error, detail: firstLine(text) }];
}

function firstLine(text: string): string | null {
  const line = (text.trim().split('\n')[0] ?? '').slice(0, 200);
  return line === '' ? null : line;
}

const LIMITS: Readonly<Record<string, SessionLimit>> = {
  error_max_turns: 'turns',
  error_max_budget_usd: 'budget',
};

function observeResult(event: ResultEvent): Observation[] {
  const { error, is_error, status, subtype, text } = event;
  // Claude Code tells of the failure in a message of its own, before the result.
  const isTold = is_error && (error !== null || event.usage === null);
  return [
    ...(isTold ? [{ kind: 'failure' as const, error: error ?? '', detail: firstLine(text) }] : []),
    {
      kind: 'result',
      usage: totalUsage(event),
      limit: LIMITS[subtype] ?? null,
      isError: is_error,
      status,
      text,
    },
  ];
}

/** The sum over all models where the client reports it, because `usage` may miss answers. */
function totalUsage({
  usage,
  models,
  turns,
  cost_usd,
}: ResultEvent): Extract<Observation, { kind: 'result' }>['usage'] {
  const counts = models.length > 0 || usage === null ? models : [usage];
  const isCounted = counts.length > 0;
  return {
    input_tokens: isCounted ? counts.reduce((sum, { input_tokens }) => sum + input_tokens, 0) : null,
    output_tokens: isCounted ? counts.reduce((sum, { output_tokens }) => sum + output_tokens, 0) : null,
    model: models[0]?.name ?? null,
    turns,
    cost_usd,
  };
}
