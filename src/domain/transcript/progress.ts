// The progress of a session, folded from its stream line by line.

import { entryLine } from './entry.ts';
import type { StreamLine, TokenCount } from './parse.ts';
import type { Entry } from './transcript.ts';

export type Progress = {
  /** Counted as the supervisor counts them: an answer of several blocks is one turn. */
  turns: number;
  /** The agent's last tool use; text that follows does not replace it. */
  action: { text: string; at: number } | null;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  /** The id of the message that the last line belongs to. */
  answer: string | null;
};

export const NO_PROGRESS: Progress = {
  turns: 0,
  action: null,
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  answer: null,
};

const MAX_ACTION = 200;

/** `entries`: those of the line. `readAt`: used if the line has no timestamp of its own. */
export function progressAfter(
  before: Progress,
  { event, at }: StreamLine,
  entries: readonly Entry[],
  readAt: number,
): Progress {
  const act = entries.findLast(({ kind }) => kind === 'tool' || kind === 'line');
  const action =
    act === undefined ? before.action : { text: entryLine(act).slice(0, MAX_ACTION), at: at ?? readAt };
  const started = entries.find((entry) => entry.kind === 'started');
  const model = started === undefined || started.model === '' ? before.model : started.model;
  if (event.kind === 'usage') return { ...addTokens(before, event.usage), action, model };
  // Some clients count only once, at the end.
  if (event.kind === 'result' && event.usage !== null && before.input_tokens === 0)
    return { ...addTokens(before, event.usage), action, model };
  if (event.kind !== 'assistant')
    return { ...before, action, model, turns: before.turns + (event.kind === 'plain' ? 1 : 0) };
  const { message_id, usage } = event;
  if (message_id !== null && message_id === before.answer) return { ...before, action, model };
  return { ...addTokens(before, usage), turns: before.turns + 1, action, model, answer: message_id };
}

const addTokens = (before: Progress, { input_tokens, output_tokens }: TokenCount): Progress => ({
  ...before,
  input_tokens: before.input_tokens + input_tokens,
  output_tokens: before.output_tokens + output_tokens,
});
