// The progress of a session, folded from its stream line by line.

import { entryLine } from './entry.ts';
import { asNumber, asObject, asText, type Json } from './stream-json.ts';
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

/** `readAt`: used if the line has no timestamp of its own. */
export function progressAfter(
  before: Progress,
  json: Json | null,
  entries: readonly Entry[],
  readAt: number,
): Progress {
  const done = entries.findLast(({ kind }) => kind === 'tool' || kind === 'line');
  const action =
    done === undefined
      ? before.action
      : { text: entryLine(done).slice(0, MAX_ACTION), at: timeOf(json) ?? readAt };
  const started = entries.find((entry) => entry.kind === 'started');
  const model = started === undefined || started.model === '' ? before.model : started.model;
  const isPlain = entries.some(({ kind }) => kind === 'line');
  if (json?.['type'] !== 'assistant')
    return { ...before, action, model, turns: before.turns + (isPlain ? 1 : 0) };
  const message = asObject(json['message']);
  const answer = asText(message['id']) || null;
  if (answer !== null && answer === before.answer) return { ...before, action, model };
  const usage = asObject(message['usage']);
  const inputs = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return {
    turns: before.turns + 1,
    action,
    model,
    input_tokens: inputs.reduce((sum, name) => sum + asNumber(usage[name]), before.input_tokens),
    output_tokens: before.output_tokens + asNumber(usage['output_tokens']),
    answer,
  };
}

/** The timestamp of a line, if it has one. */
export function timeOf(json: Json | null): number | null {
  const time = Date.parse(asText(json?.['timestamp']));
  return Number.isNaN(time) ? null : time;
}
